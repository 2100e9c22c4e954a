//! The program that Trunk builds: the page and nothing else. It is a package of its own so that the last step of the build,
//! which sees all packages at once, may be set to another level than the code of any of them (`Cargo.toml`, profile `page`).

fn main() {
    redrive_lab::start::start();
}
