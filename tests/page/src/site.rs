//! The static file server that a visitor's page comes from.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The project's folder.
pub fn project() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this crate lies in tests/page").to_owned()
}

/// The built page, served on a port of its own until dropped.
pub struct Site {
    server: Child,
    address: String,
    /// Where a changed copy of the page lies.
    copy: Option<TempDir>,
}

impl Site {
    /// Serves the page at the path `under`, without the files whose name `is_missing` holds for.
    ///
    /// # Panics
    /// Where the page is not built, or Node.js is not there to serve it.
    pub fn serve(under: &str, is_missing: Option<fn(&str) -> bool>) -> Self {
        let dist = project().join("dist");
        assert!(dist.join("index.html").exists(), "there is no page to visit: build it with scripts/test build");
        let copy = is_missing.map(|is_missing| copy_without(&dist, is_missing));
        let mut server = Command::new("node")
            .arg(project().join("scripts/serve.mjs"))
            .arg(copy.as_ref().map_or(dist.as_path(), TempDir::path))
            .args(["--port", "0", "--under", under])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node serves the page: is it on the PATH?");
        let mut said = String::new();
        BufReader::new(server.stdout.take().expect("its output is a pipe"))
            .read_line(&mut said)
            .expect("the server says where it is");
        let address = said.split_whitespace().last().expect("the server's first line ends with its address").to_owned();
        Self { server, address, copy }
    }

    /// Puts the files back that were missing.
    pub fn complete(&self) {
        if let Some(copy) = &self.copy {
            copy_folder(&project().join("dist"), copy.path(), |name| copy.path().join(name).exists());
        }
    }

    /// The page's address, with a `/` at its end.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must not outlive the test.
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

fn copy_without(dist: &Path, is_missing: fn(&str) -> bool) -> TempDir {
    let copy = tempfile::tempdir().expect("a folder for a changed copy of the page");
    copy_folder(dist, copy.path(), is_missing);
    copy
}

fn copy_folder(from: &Path, to: &Path, is_missing: impl Fn(&str) -> bool + Copy) {
    for entry in fs::read_dir(from).expect("the built page can be read") {
        let path = entry.expect("the built page can be read").path();
        let name = path.file_name().expect("an entry of a folder has a name");
        if is_missing(&name.to_string_lossy()) {
            continue;
        }
        if path.is_dir() {
            let folder = to.join(name);
            fs::create_dir(&folder).expect("the copy's folder can be made");
            copy_folder(&path, &folder, is_missing);
        } else {
            fs::copy(&path, to.join(name)).expect("the built page can be copied");
        }
    }
}
