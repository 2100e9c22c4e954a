//! Shapes of the stage and the track, kept between two paintings: only what changed touches the document.

use wasm_bindgen::JsValue;
use web_sys::{Document, Element};

/// The namespace of SVG elements.
const SVG: &str = "http://www.w3.org/2000/svg";

/// One shape. `look` is its class: colours and fonts live in the style sheets.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle with rounded corners.
    Rect {
        /// Class.
        look: &'static str,
        /// Left edge.
        x: f64,
        /// Upper edge.
        y: f64,
        /// Width.
        w: f64,
        /// Height.
        h: f64,
        /// Radius of the corners.
        r: f64,
    },
    /// A circle.
    Circle {
        /// Class.
        look: &'static str,
        /// Centre.
        x: f64,
        /// Centre.
        y: f64,
        /// Radius.
        r: f64,
    },
    /// An arc from twelve o'clock, clockwise, over a share of a circle.
    Arc {
        /// Class.
        look: &'static str,
        /// Centre.
        x: f64,
        /// Centre.
        y: f64,
        /// Radius.
        r: f64,
        /// From 0 to 1.
        share: f64,
    },
    /// A path.
    Path {
        /// Class.
        look: &'static str,
        /// Its commands.
        d: String,
    },
    /// A line of text.
    Text {
        /// Class.
        look: &'static str,
        /// Anchor: left, middle or right, as the class says.
        x: f64,
        /// Base line.
        y: f64,
        /// What it says.
        text: String,
    },
}

/// Appends a number with one decimal: finer than a pixel is not seen.
pub fn push_number(out: &mut String, value: f64) {
    let tenths = (value * 10.0).round() as i64;
    if tenths < 0 {
        out.push('-');
    }
    let tenths = tenths.unsigned_abs();
    push_whole(out, tenths / 10);
    if !tenths.is_multiple_of(10) {
        out.push('.');
        push_whole(out, tenths % 10);
    }
}

fn push_whole(out: &mut String, value: u64) {
    if value >= 10 {
        push_whole(out, value / 10);
    }
    out.push(char::from(b'0' + (value % 10) as u8));
}

/// A number with one decimal, as an attribute takes it.
pub fn number(value: f64) -> String {
    let mut out = String::new();
    push_number(&mut out, value);
    out
}

/// Writes a path: letters as they are, numbers after them.
#[derive(Default)]
pub struct Pen(pub String);

impl Pen {
    /// One command with its numbers.
    #[must_use]
    pub fn to(mut self, command: char, numbers: &[f64]) -> Self {
        self.0.push(command);
        for (index, value) in numbers.iter().enumerate() {
            if index > 0 {
                self.0.push(' ');
            }
            push_number(&mut self.0, *value);
        }
        self
    }
}

impl Shape {
    fn tag(&self) -> &'static str {
        match self {
            Self::Rect { .. } => "rect",
            Self::Circle { .. } => "circle",
            // A circle of its own kind: a plain one has no dashes to take off again.
            Self::Arc { .. } => "ellipse",
            Self::Path { .. } => "path",
            Self::Text { .. } => "text",
        }
    }

    /// Writes every attribute. The browser compares the few that did not change faster than this could.
    fn write(&self, element: &Element) {
        let set = |name: &str, value: &str| {
            // Fails for a name that no attribute may have; these all may.
            let _ = element.set_attribute(name, value);
        };
        match self {
            Self::Rect { look, x, y, w, h, r } => {
                set("class", look);
                for (name, value) in [("x", x), ("y", y), ("width", w), ("height", h), ("rx", r)] {
                    set(name, &number(*value));
                }
            }
            Self::Circle { look, x, y, r } => {
                set("class", look);
                for (name, value) in [("cx", x), ("cy", y), ("r", r)] {
                    set(name, &number(*value));
                }
            }
            Self::Arc { look, x, y, r, share } => {
                set("class", look);
                for (name, value) in [("cx", x), ("cy", y), ("rx", r), ("ry", r)] {
                    set(name, &number(*value));
                }
                // It begins at three o'clock: turned back by a quarter.
                set("transform", &format!("rotate(-90 {} {})", number(*x), number(*y)));
                set("pathLength", "100");
                set("stroke-dasharray", &format!("{} 100", number(share * 100.0)));
            }
            Self::Path { look, d } => {
                set("class", look);
                set("d", d);
            }
            Self::Text { look, x, y, text } => {
                set("class", look);
                set("x", &number(*x));
                set("y", &number(*y));
                element.set_text_content(Some(text));
            }
        }
    }
}

/// A group of shapes in the document.
pub struct Group {
    element: Element,
    document: Document,
    shown: Vec<(Shape, Element)>,
}

impl Group {
    /// A new group at the end of `parent`.
    ///
    /// # Errors
    /// What the document says when it takes no more elements.
    pub fn new(document: &Document, parent: &Element) -> Result<Self, JsValue> {
        let element = document.create_element_ns(Some(SVG), "g")?;
        parent.append_child(&element)?;
        Ok(Self { element, document: document.clone(), shown: Vec::new() })
    }

    /// Makes the group look like `shapes`, in this order.
    ///
    /// # Errors
    /// What the document says when it takes no more elements.
    pub fn paint(&mut self, shapes: Vec<Shape>) -> Result<(), JsValue> {
        for extra in self.shown.drain(shapes.len().min(self.shown.len())..) {
            extra.1.remove();
        }
        for (index, shape) in shapes.into_iter().enumerate() {
            match self.shown.get_mut(index) {
                Some((old, _)) if *old == shape => {}
                Some((old, element)) if old.tag() == shape.tag() => {
                    shape.write(element);
                    *old = shape;
                }
                Some((old, element)) => {
                    let fresh = self.document.create_element_ns(Some(SVG), shape.tag())?;
                    shape.write(&fresh);
                    element.replace_with_with_node_1(&fresh)?;
                    (*old, *element) = (shape, fresh);
                }
                None => {
                    let fresh = self.document.create_element_ns(Some(SVG), shape.tag())?;
                    shape.write(&fresh);
                    self.element.append_child(&fresh)?;
                    self.shown.push((shape, fresh));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.element.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_at_most_one_decimal() {
        let written: Vec<String> = [0.0, 12.0, 12.34, -0.26, -3.0, 999.96].into_iter().map(number).collect();
        assert_eq!(written, ["0", "12", "12.3", "-0.3", "-3", "1000"]);
    }

    #[test]
    fn a_pen_writes_commands_and_numbers() {
        assert_eq!(Pen::default().to('M', &[1.0, 2.5]).to('L', &[3.0, 4.0]).to('Z', &[]).0, "M1 2.5L3 4Z");
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod page_tests {
    use super::*;
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    wasm_bindgen_test_configure!(run_in_browser);

    fn board() -> (Element, Group) {
        let document = leptos::prelude::document();
        let board = document.create_element_ns(Some(SVG), "svg").expect("an SVG");
        let group = Group::new(&document, &board).expect("a group");
        (board, group)
    }

    fn text(x: f64, text: &str) -> Shape {
        Shape::Text { look: "title", x, y: 0.0, text: text.into() }
    }

    #[wasm_bindgen_test]
    fn a_shape_that_did_not_change_keeps_its_element() {
        let (board, mut group) = board();
        group.paint(vec![text(1.0, "orders"), text(2.0, "0 rows")]).expect("painted");
        let first = board.query_selector("text").expect("a selector").expect("a text");
        first.set_attribute("data-seen", "yes").expect("an attribute");
        group.paint(vec![text(1.0, "orders"), text(2.0, "7 rows"), text(3.0, "more")]).expect("painted");
        assert_eq!(board.inner_html().matches("data-seen").count(), 1);
        assert_eq!(board.text_content().as_deref(), Some("orders7 rowsmore"));
    }

    #[wasm_bindgen_test]
    fn shapes_that_are_gone_leave_and_others_take_their_place() {
        let (board, mut group) = board();
        group.paint(vec![text(1.0, "a"), text(2.0, "b"), text(3.0, "c")]).expect("painted");
        group.paint(vec![Shape::Circle { look: "dot", x: 1.0, y: 2.0, r: 3.5 }]).expect("painted");
        assert_eq!(board.inner_html(), r#"<g><circle class="dot" cx="1" cy="2" r="3.5"></circle></g>"#);
        drop(group);
        assert_eq!(board.inner_html(), "");
    }
}
