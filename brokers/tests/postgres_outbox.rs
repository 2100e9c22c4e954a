//! Ways to write a message with its row, and ways to read an outbox.

use redrive_brokers::postgres::{Flag, Horizon, LastId, Row, Trouble, Writing, Written, Xids};

/// Visible rows as (id, xid), in any order.
fn rows(found: &[(u64, u64)]) -> Vec<Row> {
    let mut rows: Vec<Row> = found.iter().map(|&(id, xid)| Row { id, xid, ..Row::default() }).collect();
    rows.sort_unstable_by_key(|row| row.id);
    rows
}

#[test]
fn a_late_lower_id_is_passed_by_for_ever_by_the_last_id_alone() {
    let mut xids = Xids::new(1);
    let (first, second) = (xids.assign(), xids.assign());
    let (mut last_id, mut horizon) = (LastId::default(), Horizon::default());
    // The second transaction commits, the first is open.
    xids.end(second);
    let visible = rows(&[(2, second)]);
    let xmin = xids.snapshot(None).xmin;
    assert_eq!((last_id.poll(&visible, 10), horizon.poll(&visible, xmin, 10)), (vec![2], vec![]));
    let sent = |id: u64| Row { sent: true, ..Row { id, ..Row::default() } };
    assert_eq!(Flag::poll(&visible, &[], 10), [2]);
    xids.end(first);
    let visible = rows(&[(1, first), (2, second)]);
    let xmin = xids.snapshot(None).xmin;
    assert_eq!((last_id.poll(&visible, 10), horizon.poll(&visible, xmin, 10)), (vec![], vec![1, 2]));
    assert_eq!(Flag::poll(&[visible[0], sent(2)], &[], 10), [1]);
    assert_eq!(horizon.poll(&visible, xmin, 10), []);
}

#[test]
fn a_batch_is_gone_on_with_at_its_end() {
    let visible = rows(&[(1, 9), (2, 7), (3, 8)]);
    let (mut last_id, mut horizon) = (LastId::default(), Horizon::default());
    let polls = |poll: &mut dyn FnMut() -> Vec<u64>| [poll(), poll(), poll()];
    assert_eq!(polls(&mut || last_id.poll(&visible, 2)), [vec![1, 2], vec![3], vec![]]);
    assert_eq!(polls(&mut || horizon.poll(&visible, 10, 2)), [vec![2, 3], vec![1], vec![]]);
    assert_eq!(Flag::poll(&visible, &[1], 1), [2], "what another relay has locked is passed by");
}

#[test]
fn two_writes_without_an_outbox_come_apart() {
    let check = |writing: Writing, trouble: Trouble, row: bool, message: bool| {
        assert_eq!(writing.written(trouble), Written { row, message }, "{writing:?} {trouble:?}");
    };
    use Trouble::{BrokerDown, DiesAfter, None, RowRefused};
    for writing in [Writing::RowThenMessage, Writing::MessageThenRow, Writing::Outbox, Writing::ListenToYourself] {
        check(writing, None, true, true);
        check(writing, DiesAfter(0), false, false);
        check(writing, DiesAfter(2), true, true);
    }
    check(Writing::RowThenMessage, DiesAfter(1), true, false);
    check(Writing::RowThenMessage, BrokerDown, true, false);
    check(Writing::RowThenMessage, RowRefused, false, false);
    check(Writing::MessageThenRow, DiesAfter(1), false, true);
    check(Writing::MessageThenRow, RowRefused, false, true);
    check(Writing::MessageThenRow, BrokerDown, false, false);
    check(Writing::Outbox, DiesAfter(1), true, true);
    check(Writing::Outbox, BrokerDown, true, true);
    check(Writing::Outbox, RowRefused, false, false);
    check(Writing::ListenToYourself, DiesAfter(1), true, true);
    check(Writing::ListenToYourself, BrokerDown, false, false);
    check(Writing::ListenToYourself, RowRefused, false, true);
}
