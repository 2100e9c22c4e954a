//! What the stage is told of parts and of the lines between them.

use redrive::command::Command;
use redrive::run::Run;
use redrive::timeline::Timeline;
use redrive::view::BodyView;

/// Where the exchange sends what no binding takes, and the parts that a line leads to from it.
fn exchange(timeline: &Timeline) -> (Option<String>, Vec<String>) {
    let stage = timeline.stage(0);
    let place = stage.parts.iter().position(|part| part.id == "events").expect("the exchange");
    let BodyView::Exchange { alternate, .. } = &stage.parts[place].body else { panic!("{:?}", stage.parts[place].body) };
    let lines = stage.links.iter().filter(|link| usize::from(link.from) == place);
    (alternate.clone(), lines.map(|link| stage.parts[usize::from(link.to)].id.clone()).collect())
}

#[test]
fn an_alternate_exchange_is_drawn_however_it_came_to_be() {
    let mut run = Run::of_library("topic-routing");
    let mut live = Timeline::open(&run).expect("it ships");
    assert_eq!(exchange(&live), (None, vec!["mail-queue".to_owned(), "audit-queue".to_owned()]));
    live.send(&[Command::parse("set events.alternate=unrouted").expect("a command")]).expect("it makes sense");
    run.sets.push(("events.alternate".into(), "unrouted".into()));
    let set = Timeline::open(&run).expect("a good run");
    let all = ["mail-queue", "audit-queue", "unrouted"].map(str::to_owned).to_vec();
    assert_eq!(exchange(&live), (Some("Unrouted".to_owned()), all));
    assert_eq!(exchange(&live), exchange(&set));
}
