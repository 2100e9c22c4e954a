//! Same run, same trace: the hash of every scenario is written down and held, here natively and in the browser's tests.
//!
//! After a change that is meant to change what happens: `UPDATE_GOLDEN=1 cargo test --test golden`.

#[path = "golden/shared.rs"]
mod shared;

use redrive::scenario::library;

#[test]
fn every_scenario_has_its_golden_hash() {
    let lines: Vec<String> = library::ids().map(shared::line_of).collect();
    let text = format!("{}\n", lines.join("\n"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/hashes.txt"), &text).expect("the file can be written");
        return;
    }
    assert_eq!(text, shared::GOLDEN);
}
