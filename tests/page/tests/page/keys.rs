//! The keyboard alone: everything can be reached and done, what has the focus is seen, and closing something gives the focus
//! back to where it was opened.

use redrive_page_tests::{Key, Page, Visitor};

fn open(name: &'static str, address: &str) -> Page {
    let page = Visitor::new(name).open(address);
    page.until("the lab is there", |page| page.count("#clock") == 1);
    page
}

/// What has the focus by CSS: `true` where it is `css`.
fn has_focus(page: &Page, css: &str) -> bool {
    page.run_with("return document.activeElement.matches(arguments[0])", vec![css.into()]) == true
}

/// Tabs on until the focus is on what `css` selects. On the way it is always somewhere, and seen.
#[track_caller]
fn tab_to(page: &Page, css: &str) {
    for _ in 0..160 {
        page.press(Key::Tab);
        let seen = page.run(
            "const at = document.activeElement, look = getComputedStyle(at); \
             return at === document.body || (look.outlineStyle !== 'none' && at.getBoundingClientRect().width > 0)",
        );
        assert_eq!(seen, true, "{} is not seen to have the focus", page.focused());
        if has_focus(page, css) {
            return;
        }
    }
    panic!("the keyboard does not get to {css}; it is at {}", page.focused());
}

/// Something has the focus, and not the page as a whole.
#[track_caller]
fn is_somewhere(page: &Page, after: &str) {
    page.until(&format!("something has the focus after {after}"), |page| page.focused() != "nothing");
}

#[test]
fn a_command_that_is_over_does_not_leave_the_focus_on_the_next_one() {
    let page = open("pressed_again", "#/s/lost-ack");
    page.part("[data-part=billing]").focus();
    page.press(Key::Enter);
    page.until("its card is open", |page| page.count("[data-command='break billing']") == 1);
    page.part("[data-command='break billing']").focus();
    page.press(Key::Enter);
    page.until("it is down", |page| page.count("[data-command='break billing']") == 0);
    page.until("the card has the focus", |page| has_focus(page, "#inspector"));
    page.press(Key::Enter);
    page.press(' ');
    page.until("the space bar plays", |page| page.control("button", "Pause").is_seen());
    assert_eq!(page.count("#did li"), 1, "{}", page.text_of("#did"));
}

#[test]
fn every_dialog_gives_the_focus_back_to_what_opened_it() {
    let page = open("keys_dialogs", "#/s/order-shop");
    let openers =
        ["#picker-open", "#brokers-head", "#find-open", "#compare", "#crashes-open", "#sweep-open", "#share", "#rules-open"];
    for opener in openers {
        tab_to(&page, opener);
        page.press(Key::Enter);
        page.until("a dialog is open", |page| page.count("dialog[open]") == 1);
        page.until("the focus is in it", |page| has_focus(page, "dialog[open] *"));
        page.press(Key::Escape);
        page.until("it is closed", |page| page.count("dialog[open]") == 0);
        page.until(&format!("{opener} has the focus again"), |page| has_focus(page, opener));
    }
}

#[test]
fn a_dialog_opened_from_a_dialog_leads_back_to_the_first_opener() {
    let page = Visitor::new("keys_tools").phone().open("#/s/order-shop");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    tab_to(&page, "#tools-open");
    page.press(Key::Enter);
    tab_to(&page, "dialog[open] #compare");
    page.press(Key::Enter);
    page.until("the other dialog is there", |page| page.count("#compare-form") == 1);
    page.press(Key::Escape);
    page.until("the tools have the focus again", |page| has_focus(page, "#tools-open"));
}

#[test]
fn a_scenario_is_picked_broken_cured_and_compared() {
    let page = open("keys_failure", "#/s/order-shop");
    tab_to(&page, "#picker-open");
    page.press(Key::Enter);
    tab_to(&page, "#scenario-filter");
    for letter in "poison message on".chars() {
        page.press(letter);
    }
    tab_to(&page, "a.card[href$=poison-message]");
    page.press(Key::Enter);
    page.until("it is open", |page| page.title().starts_with("A poison message"));
    page.until("the picker has the focus again", |page| has_focus(page, "#picker-open"));
    page.press('n');
    page.until("the next surprise has come", |page| page.count("#breaks li") > 0 && !page.has_control("button", "Stop"));

    // A crash at a step, and back to the part.
    tab_to(&page, "[data-part=email]");
    page.press(Key::Enter);
    page.until("its card has the focus", |page| has_focus(page, "#inspector"));
    tab_to(&page, "#inspector [data-command='crash email at worked']");
    page.press(Key::Enter);
    page.until_text("#did", "crash email at worked");
    page.press(Key::Escape);
    page.until("the part has the focus again", |page| has_focus(page, "[data-part=email]"));

    // A cure goes when it is applied; what is next in the list must not be under the finger.
    tab_to(&page, "#cures .fix button");
    page.press(Key::Enter);
    page.until("it is done", |page| page.count("#did li") == 2);
    page.until("the panel has the focus", |page| has_focus(page, "#cures"));
    page.press(Key::Enter);
    tab_to(&page, "#did button");
    page.press(Key::Enter);
    page.until("one is withdrawn", |page| page.count("#did li") == 1);
    is_somewhere(&page, "a withdrawal");

    // Side by side, and on with one of them.
    page.press('c');
    page.until("the dialog is there", |page| page.count("#compare-form") == 1);
    tab_to(&page, "#compare-cures button:last-child");
    page.press(Key::Enter);
    page.until("two runs are there", |page| page.count("#two-told") == 1);
    is_somewhere(&page, "the dialog");
    page.press('o');
    page.until("the other takes the commands", |page| page.part("#take-A").attribute("aria-pressed").as_deref() == Some("true"));
    tab_to(&page, "#keep-B");
    page.press(Key::Enter);
    page.until("there is one run", |page| page.count("#two-told") == 0);
    is_somewhere(&page, "keeping one");
}

#[test]
fn a_message_is_found_followed_and_closed() {
    let page = open("keys_message", "#/s/work-queue-crash");
    page.press('n');
    page.until("m1 is there", |page| page.count("#breaks li") > 0 && !page.has_control("button", "Stop"));
    tab_to(&page, "#find-open");
    page.press(Key::Enter);
    page.until("the field has the focus", |page| has_focus(page, "#find-text"));
    page.press('m');
    page.press('1');
    page.press(Key::Enter);
    page.until("its card has the focus", |page| has_focus(page, "#message"));
    page.press('f');
    page.until_text("#follow", "Stop following");
    page.press('f');
    page.press(Key::Escape);
    page.until("the card is closed", |page| page.count("#message") == 0);
    is_somewhere(&page, "the card");

    // A list from its count, and back.
    tab_to(&page, "#users .count");
    page.press(Key::Enter);
    page.until("the list is there", |page| page.count("#found") == 1);
    page.press(Key::Escape);
    page.until("the count has the focus again", |page| has_focus(page, "#users .count"));
}

#[test]
fn crashes_are_tried_and_a_counterexample_is_opened() {
    let page = open("keys_crashes", "#/s/dual-write");
    tab_to(&page, "#crashes-open");
    page.press(Key::Enter);
    tab_to(&page, "#crashes-go");
    page.press(Key::Enter);
    page.until("all are tried", |page| page.count("#crashes-verdict") == 1 && page.count("#crashes progress") == 0);
    tab_to(&page, "#properties a");
    page.press(Key::Enter);
    page.until("its run is open", |page| page.count("#crashes[open]") == 0 && page.text_of("#clock") != "00:00.00");
    page.until("the opener has the focus again", |page| has_focus(page, "#crashes-open"));
}

#[test]
fn the_arrows_go_from_tab_to_tab_on_a_phone_and_leave_the_run_where_it_is() {
    let page = Visitor::new("keys_tabs").phone().open("#/s/order-shop");
    page.until("the lab is there", |page| page.count("#clock") == 1);
    let clock = page.text_of("#clock");
    tab_to(&page, "#panels [role=tab]");
    assert_eq!(page.focused(), "tab “Users see”", "one stop for all tabs: the one that is open");
    for (key, tab, section) in
        [(Key::Right, "Breaks", "breaks"), (Key::Left, "Users see", "users"), (Key::Left, "Counts", "counts")]
    {
        page.press(key);
        page.until("the next tab is open", |page| page.count(&format!("#panels[data-tab={section}]")) == 1);
        assert_eq!(page.focused(), format!("tab “{tab}”"));
    }
    assert_eq!(page.text_of("#clock"), clock);
}
