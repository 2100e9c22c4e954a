//! A table of jobs in PostgreSQL at work in a scenario.

mod play;

use play::given_ms;

#[test]
fn without_skip_locked_a_claim_waits_for_the_rows_of_another() {
    let document = |more: &str| {
        format!(
            r#"{{"redrive": 1, "until": "60s", "parts": {{
                "p": {{"kind": "producer", "to": "q", "messages": ["1", "2", "3", "4"]}},
                "q": {{"kind": "queue", "broker": "postgres-table", "claim": "transaction"{more}}},
                "w": {{"kind": "worker", "from": "q", "workers": 2, "batch": 2, "work": "5s", "restart": "10m"}}}},
                "breaks": ["0s pause w", "1s resume w", "3s crash w"]}}"#
        )
    };
    let given = |more: &str| ["1", "2", "3", "4"].map(|id| given_ms(&document(more), id));
    // The rows of a backend that is killed are free at once.
    assert_eq!(given(""), [vec![1000, 11_000], vec![1000, 11_000], vec![1000], vec![1000]]);
    assert_eq!(given(r#", "SKIP LOCKED": false"#), [vec![1000, 3000], vec![1000, 3000], vec![13_000], vec![13_000]]);
}
