//! Small trees of elements for what changes often: lists and tables, compared with what is shown, so that only what
//! changed touches the document and a button that has the focus keeps it.
//!
//! Plain data instead of one type a list: the page's code stays small.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, Node as DomNode};

use crate::focus;

/// What an event does.
type Act = Rc<dyn Fn(&Event)>;
/// What a place shows, read anew whenever a signal in it changes.
type Of = Box<dyn Fn() -> Vec<Node>>;

/// An element or a text. Boxed: it is passed along a lot while it is put together, and a pointer is small to pass.
pub struct Node(Box<Parts>);

/// What a node is made of.
#[derive(Default)]
struct Parts {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: String,
    kids: Vec<Node>,
    acts: Vec<(&'static str, Act)>,
    of: Option<Of>,
}

/// An element of this tag.
#[must_use]
pub fn el(tag: &'static str) -> Node {
    Node(Box::new(Parts { tag, ..Parts::default() }))
}

/// A text.
#[must_use]
pub fn text(text: impl Into<String>) -> Node {
    Node(Box::new(Parts { text: text.into(), ..Parts::default() }))
}

/// A place inside a tree that stands still: shows what `of` says, whenever a signal that it reads changes.
#[must_use]
pub fn slot(of: impl Fn() -> Vec<Node> + 'static) -> Node {
    let mut node = el("div").class("live");
    node.0.of = Some(Box::new(of));
    node
}

/// A button of this class.
#[must_use]
pub fn button(class: &'static str, says: impl Into<String>) -> Node {
    el("button").attr("type", "button").class(class).says(says)
}

impl Node {
    /// Its class.
    #[must_use]
    pub fn class(self, class: impl Into<String>) -> Self {
        self.attr("class", class)
    }

    /// An attribute.
    #[must_use]
    pub fn attr(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.attributes.push((name, value.into()));
        self
    }

    /// An attribute where there is something to say in it.
    #[must_use]
    pub fn attr_if(self, name: &'static str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.attr(name, value),
            None => self,
        }
    }

    /// A text inside it.
    #[must_use]
    pub fn says(self, says: impl Into<String>) -> Self {
        self.with(text(says))
    }

    /// An element inside it.
    #[must_use]
    pub fn with(mut self, kid: Node) -> Self {
        self.0.kids.push(kid);
        self
    }

    /// Elements inside it.
    #[must_use]
    pub fn with_all(mut self, kids: impl IntoIterator<Item = Node>) -> Self {
        self.0.kids.extend(kids);
        self
    }

    /// Whom it stands for: in a list whose rows come and go, so that the next one does not take its place under the focus.
    #[must_use]
    pub fn who(self, who: impl Into<String>) -> Self {
        self.attr(WHO, who)
    }

    /// What is in a field. A name that starts with a dot is a property: what the visitor sees, not what the page began
    /// with.
    #[must_use]
    pub fn value(self, value: impl Into<String>) -> Self {
        self.attr(".value", value)
    }

    /// What happens on an event.
    #[must_use]
    pub fn on(mut self, event: &'static str, act: impl Fn(&Event) + 'static) -> Self {
        self.0.acts.push((event, Rc::new(act)));
        self
    }

    /// What a press does.
    #[must_use]
    pub fn press(self, act: impl Fn() + 'static) -> Self {
        self.on("click", move |_| act())
    }

    /// What a new value of a field does.
    #[must_use]
    pub fn take(self, event: &'static str, act: impl Fn(String) + 'static) -> Self {
        self.on(event, move |event| act(event_target_value(event)))
    }
}

/// Sets an attribute, or a property where the name starts with a dot.
fn put(element: &Element, name: &str, value: &str) -> Result<(), JsValue> {
    let Some(property) = name.strip_prefix('.') else { return element.set_attribute(name, value) };
    let value = match (property, value) {
        ("checked", on) => JsValue::from_bool(on == "true"),
        (_, text) => JsValue::from_str(text),
    };
    js_sys::Reflect::set(element, &JsValue::from_str(property), &value).map(|_| ())
}

/// A node in the document.
struct Shown {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: String,
    kids: Vec<Shown>,
    /// What the listeners call: exchanged without touching the document.
    acts: Vec<(&'static str, Rc<RefCell<Act>>)>,
    /// The listeners live as long as the element.
    _listeners: Vec<Closure<dyn Fn(Event)>>,
    dom: DomNode,
}

/// The attribute that says who an element stands for.
const WHO: &str = "data-who";

fn identity<'a>(attributes: &'a [(&'static str, String)]) -> Option<&'a str> {
    attributes.iter().find(|(name, _)| *name == WHO).map(|(_, who)| who.as_str())
}

impl Shown {
    fn new(node: Node) -> Result<Self, JsValue> {
        let node = *node.0;
        let document = document();
        if node.tag.is_empty() {
            let dom = document.create_text_node(&node.text).into();
            return Ok(Self {
                tag: "",
                attributes: Vec::new(),
                text: node.text,
                kids: Vec::new(),
                acts: Vec::new(),
                _listeners: Vec::new(),
                dom,
            });
        }
        let svg = matches!(node.tag, "svg" | "path" | "rect" | "circle" | "text" | "title");
        let element = if svg {
            document.create_element_ns(Some("http://www.w3.org/2000/svg"), node.tag)?
        } else {
            document.create_element(node.tag)?
        };
        for (name, value) in node.attributes.iter().filter(|(name, _)| !name.starts_with('.')) {
            put(&element, name, value)?;
        }
        let mut acts = Vec::new();
        let mut listeners = Vec::new();
        for (event, act) in node.acts {
            let act = Rc::new(RefCell::new(act));
            let called = Rc::clone(&act);
            let listener = Closure::<dyn Fn(Event)>::new(move |event: Event| {
                let act = called.borrow().clone();
                act(&event);
            });
            element.add_event_listener_with_callback(event, listener.as_ref().unchecked_ref())?;
            acts.push((event, act));
            listeners.push(listener);
        }
        let mut shown = Self {
            tag: node.tag,
            attributes: node.attributes,
            text: String::new(),
            kids: Vec::new(),
            acts,
            _listeners: listeners,
            dom: element.into(),
        };
        match node.of {
            Some(of) => keep_showing(shown.dom.clone(), of),
            None => show(&shown.dom, &mut shown.kids, node.kids)?,
        }
        // A list takes its value only once it has its options.
        if let Some(element) = shown.dom.dyn_ref::<Element>() {
            for (name, value) in shown.attributes.iter().filter(|(name, _)| name.starts_with('.')) {
                put(element, name, value)?;
            }
        }
        Ok(shown)
    }

    /// Whether the same element can show it. One that has an identity is not made another's: the focus would be on something
    /// else without a word.
    fn fits(&self, node: &Node) -> bool {
        let same_acts = self.acts.iter().map(|act| act.0).eq(node.0.acts.iter().map(|act| act.0));
        self.tag == node.0.tag && same_acts && identity(&self.attributes) == identity(&node.0.attributes)
    }

    fn become_like(&mut self, node: Node) -> Result<(), JsValue> {
        let node = *node.0;
        if self.text != node.text {
            self.dom.set_text_content(Some(&node.text));
            self.text = node.text;
        }
        if self.attributes != node.attributes
            && let Some(element) = self.dom.dyn_ref::<Element>()
        {
            for (name, _) in &self.attributes {
                if node.attributes.iter().all(|(other, _)| other != name) {
                    element.remove_attribute(name)?;
                }
            }
            for (name, value) in &node.attributes {
                let other = self.attributes.iter().all(|(other, old)| other != name || old != value);
                if other && !(name.starts_with('.') && self.tag == "select") {
                    put(element, name, value)?;
                }
            }
            self.attributes = node.attributes;
        }
        for ((_, old), (_, act)) in self.acts.iter().zip(node.acts) {
            *old.borrow_mut() = act;
        }
        if node.of.is_some() {
            return Ok(());
        }
        show(&self.dom, &mut self.kids, node.kids)?;
        // As when it is made: the option that it asks for may have come just now.
        if self.tag == "select"
            && let Some(element) = self.dom.dyn_ref::<Element>()
        {
            for (name, value) in self.attributes.iter().filter(|(name, _)| name.starts_with('.')) {
                put(element, name, value)?;
            }
        }
        Ok(())
    }
}

/// Makes what is inside `parent` look like `nodes`.
fn show(parent: &DomNode, shown: &mut Vec<Shown>, nodes: Vec<Node>) -> Result<(), JsValue> {
    let mut lost = false;
    let mut forget = |gone: Shown| {
        lost |= focus::is_in(&gone.dom);
        parent.remove_child(&gone.dom).map(|_| ())
    };
    let mut index = 0;
    let mut rest = nodes.into_iter();
    while let Some(node) = rest.next() {
        let who = identity(&node.0.attributes);
        if who.is_some() {
            // What stood before it and has gone.
            if let Some(ahead) = shown[index..].iter().position(|old| identity(&old.attributes) == who) {
                shown.drain(index..index + ahead).try_for_each(&mut forget)?;
            }
        }
        match shown.get_mut(index) {
            Some(old) if old.fits(&node) => old.become_like(node)?,
            old => {
                let stays = old.as_ref().is_some_and(|old| {
                    let who = identity(&old.attributes);
                    who.is_some() && rest.as_slice().iter().any(|later| identity(&later.0.attributes) == who)
                });
                let fresh = Shown::new(node)?;
                parent.insert_before(&fresh.dom, old.as_ref().map(|old| &old.dom))?;
                if old.is_some() && !stays {
                    forget(std::mem::replace(&mut shown[index], fresh))?;
                } else {
                    shown.insert(index, fresh);
                }
            }
        }
        index += 1;
    }
    shown.drain(index..).try_for_each(forget)?;
    if lost {
        focus::rescue(parent);
    }
    Ok(())
}

/// Keeps showing what `of` says inside `place`.
fn keep_showing(place: DomNode, of: Of) {
    let shown = StoredValue::new_local(Vec::<Shown>::new());
    Effect::new(move || {
        let nodes = of();
        shown.update_value(|shown| {
            if let Err(error) = show(&place, shown, nodes) {
                web_sys::console::error_2(&"a list could not be shown".into(), &error);
            }
        });
    });
}

/// Shows what `of` says, whenever a signal that it reads changes.
#[must_use]
pub fn live(of: impl Fn() -> Vec<Node> + 'static) -> AnyView {
    fixed(vec![slot(of)])
}

/// Shows a tree that stands still but for its slots.
#[must_use]
pub fn fixed(nodes: Vec<Node>) -> AnyView {
    let place: NodeRef<Div> = NodeRef::new();
    let nodes = StoredValue::new_local(nodes);
    Effect::new(move || {
        let Some(place) = place.get() else { return };
        let nodes = nodes.try_update_value(std::mem::take).unwrap_or_default();
        let mut shown = Vec::new();
        if let Err(error) = show(&place, &mut shown, nodes) {
            web_sys::console::error_2(&"the page could not be shown".into(), &error);
        }
        // As long as the place: its listeners are needed until then.
        let kept = StoredValue::new_local(shown);
        on_cleanup(move || kept.dispose());
    });
    view! { <div class="live" node_ref=place></div> }.into_any()
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::*;
    use std::cell::Cell;
    use wasm_bindgen_test::wasm_bindgen_test;
    use web_sys::HtmlElement;

    fn place() -> Element {
        document().create_element("div").expect("an element")
    }

    #[wasm_bindgen_test]
    fn what_did_not_change_keeps_its_element() {
        let (place, mut shown) = (place(), Vec::new());
        let row = |says: &str, class: &str| el("li").class(class).says(says);
        show(&place, &mut shown, vec![row("a", "x"), row("b", "x")]).expect("shown");
        let first = place.first_element_child().expect("a row");
        show(&place, &mut shown, vec![row("a", "y"), row("c", "x"), row("d", "x")]).expect("shown");
        assert_eq!(place.first_element_child(), Some(first));
        assert_eq!(place.inner_html(), r#"<li class="y">a</li><li class="x">c</li><li class="x">d</li>"#);
        show(&place, &mut shown, vec![el("p").says("e")]).expect("shown");
        assert_eq!(place.inner_html(), "<p>e</p>");
    }

    #[wasm_bindgen_test]
    fn a_row_with_an_identity_keeps_its_element_wherever_it_stands() {
        let (place, mut shown) = (place(), Vec::new());
        let rows = |names: &str| names.chars().map(|name| el("li").who(name).says(name)).collect::<Vec<_>>();
        let element = |at: u32| place.children().item(at);
        show(&place, &mut shown, rows("abc")).expect("shown");
        let (b, c) = (element(1), element(2));
        show(&place, &mut shown, rows("bc")).expect("shown");
        assert_eq!((element(0), element(1), element(2)), (b.clone(), c, None));
        show(&place, &mut shown, rows("db")).expect("shown");
        assert_eq!((element(1), place.text_content()), (b, Some("db".into())));
    }

    #[wasm_bindgen_test]
    fn a_press_does_what_the_newest_tree_says() {
        let (place, mut shown) = (place(), Vec::new());
        let pressed = Rc::new(Cell::new(0));
        for adds in [1, 10] {
            let pressed = Rc::clone(&pressed);
            let press = button("btn", "add").press(move || pressed.set(pressed.get() + adds));
            show(&place, &mut shown, vec![press]).expect("shown");
        }
        let button = place.first_element_child().expect("a button").unchecked_into::<HtmlElement>();
        button.click();
        assert_eq!(pressed.get(), 10);
    }
}
