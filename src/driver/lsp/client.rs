//! The client: what it can do, and whether it is still there.

use super::positions::Units;
use super::workspace::{path_of, uri_of};
use crate::driver::inform;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What `initialize` says of a client.
#[derive(Default)]
pub(super) struct Client {
    pub(super) units: Units,
    /// It asks for diagnostics, so they are not told by themselves.
    pub(super) pulls: bool,
    /// It shows where a code is explained.
    shows_links: bool,
    /// The folders of its workspace.
    pub(super) folders: Vec<PathBuf>,
    /// Its process, which the server ends with.
    pub(super) process: Option<i32>,
    /// Where explanations are, and which have been written there.
    links: Option<tempfile::TempDir>,
    written: BTreeMap<String, Option<String>>,
}

impl Client {
    pub(super) fn new(params: &Value) -> Client {
        let able = &params["capabilities"];
        let document = &able["textDocument"];
        let mut folders: Vec<PathBuf> = paths(&params["workspaceFolders"]).collect();
        if folders.is_empty() {
            let root = params["rootUri"].as_str().and_then(path_of);
            folders.extend(root.or_else(|| Some(params["rootPath"].as_str()?.into())));
        }
        Client {
            units: Units::chosen(able),
            pulls: document["diagnostic"].is_object(),
            shows_links: [&document["publishDiagnostics"], &document["diagnostic"]]
                .iter()
                .any(|able| able["codeDescriptionSupport"] == true),
            folders,
            process: params["processId"].as_i64().and_then(|id| i32::try_from(id).ok()),
            links: None,
            written: BTreeMap::new(),
        }
    }

    /// The URI of what `sysyc explain` says of a code. It is written when it is first wanted, into a folder that goes
    /// with the server.
    pub(super) fn link(&mut self, code: &str) -> Option<String> {
        if !self.shows_links {
            return None;
        }
        if let Some(known) = self.written.get(code) {
            return known.clone();
        }
        if self.links.is_none() {
            self.links = tempfile::Builder::new().prefix("sysyc-explain-").tempdir().ok();
        }
        let path = self.links.as_ref()?.path().join(format!("{code}.md"));
        let text = inform::explanation(code).ok();
        let uri = text.and_then(|text| std::fs::write(&path, text).ok()).map(|()| uri_of(&path));
        self.written.insert(code.to_string(), uri.clone());
        uri
    }
}

/// The paths of a list of folders.
pub(super) fn paths(folders: &Value) -> impl Iterator<Item = PathBuf> {
    folders.as_array().into_iter().flatten().filter_map(|folder| path_of(folder["uri"].as_str()?))
}

/// True if a process has ended.
#[cfg(unix)]
pub(super) fn is_gone(process: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let gone = |id| test_kill_process(id) == Err(rustix::io::Errno::SRCH);
    process > 0 && Pid::from_raw(process).is_some_and(gone)
}

#[cfg(not(unix))]
pub(super) fn is_gone(_: i32) -> bool {
    false
}
