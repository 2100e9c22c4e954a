//! Random scripts.

/// Nothing yet.
pub async fn run(_kind: &str, _count: u64, _seed: u64) -> Result<(), String> {
    Err("not there".to_owned())
}
