//! Documents: their texts, what checking them said, and what is known of their names. Those that are open, and, for
//! what is asked of all, the sources in the folders of the workspace as they are on disk (`workspace`).

use super::index::Index;
use super::positions::{self, Units};
use crate::driver::options::Options;
use crate::driver::session::Session;
use crate::ir::Flags;
use crate::lower::Checks;
use crate::opt::run::manager::Unit;
use crate::sema::runtime::SYSY;
use crate::source::{Applicability, Diagnostic, Diagnostics, Edit, SourceFile, edit};
use crate::sysy::artefacts::Artefacts;
use crate::sysy::start::{self, Begun, Profiling, Scratch, Texts, Wanted};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

/// One document.
pub(super) struct Document {
    pub(super) uri: String,
    /// The client's number of the text.
    pub(super) version: Option<i64>,
    pub(super) file: SourceFile,
    /// What its client's columns count.
    pub(super) units: Units,
    /// The number of its text, which no other has.
    pub(super) texts: u64,
    /// What there is to say of the text, in its order.
    pub(super) told: Vec<Diagnostic>,
    /// It has changed since it was checked.
    is_stale: bool,
    index: Option<Index>,
}

/// What is asked of the front end.
pub(super) fn wanted(session: &Session) -> Wanted<'_> {
    let Options { warnings, standard, .. } = &session.options;
    let (library, standard) = (&SYSY, *standard);
    Wanted {
        library,
        warnings,
        standard,
        // What it declares and does not define may be in another source.
        alone: false,
        several: false,
        ir: false,
        tokens: false,
        only_tokens: false,
        tree: false,
        debug: false,
        variables: false,
        in_memory: false,
        places: false,
        names: false,
        verify: false,
        checks: Checks::NONE,
        math: Flags::NONE,
        profiling: Profiling::None,
    }
}

impl Document {
    pub(super) fn new(uri: &str, version: Option<i64>, text: Vec<u8>, units: Units) -> Document {
        let (uri, file) = (uri.to_string(), SourceFile::new(uri, text));
        let (told, is_stale, index) = (Vec::new(), true, None);
        Document { uri, version, file, units, texts: 0, told, is_stale, index }
    }

    /// Makes changes, each in the text that those before it have left. One without a range is the whole text.
    pub(super) fn change(&mut self, version: Option<i64>, changes: &[Value]) {
        for change in changes {
            let Some(text) = change["text"].as_str() else { continue };
            let text = match positions::span(&change["range"], &self.file, self.units) {
                Some(span) => {
                    let applicability = Applicability::MachineApplicable;
                    let edit = Edit { span, text: text.to_string(), applicability };
                    edit::apply(&self.file.text, &[&[edit]]).0
                }
                None => text.as_bytes().to_vec(),
            };
            self.file = SourceFile::new(self.uri.as_str(), text);
        }
        (self.version, self.is_stale, self.index) = (version, true, None);
        self.texts += 1;
    }

    /// Checks the text, as `--check` does.
    pub(super) fn check(&mut self, session: &Session) {
        let mut diags = Diagnostics::default();
        let outline = start::outline(&self.file, wanted(session), &session.workers);
        let whole = || start::whole(&self.file, wanted(session), &mut Texts::default());
        let mut begun = outline.unwrap_or_else(whole);
        read_bodies(session, &mut begun);
        if begun.start.as_ref().is_some_and(|start| start.is_misread()) {
            begun = whole();
            read_bodies(session, &mut begun);
        }
        diags.append(begun.diags);
        let more = begun.units.iter_mut().filter_map(|unit| unit.code.more.as_deref_mut());
        more.for_each(|more| diags.append(std::mem::take(&mut more.diags)));
        if let Some(start) = &begun.start {
            start.finish(&mut diags);
        }
        let options = &session.options;
        diags.choose_warnings(|code| if options.quiet { None } else { options.warnings.severity(code) });
        self.told = diags.sorted().into_iter().cloned().collect();
    }

    /// Text and names.
    pub(super) fn known(&mut self, session: &Session) -> (&SourceFile, &Index) {
        let index = self.index.get_or_insert_with(|| Index::new(session, &self.file));
        (&self.file, index)
    }

    /// The same, if something has asked for it before.
    pub(super) fn read(&self) -> Option<(&SourceFile, &Index)> {
        Some((&self.file, self.index.as_ref()?))
    }
}

/// Takes each function through its stages.
fn read_bodies(session: &Session, begun: &mut Begun) {
    let Begun { start: Some(start), env, units, .. } = begun else { return };
    let (start, env) = (&*start, &*env);
    let make = |scratch: &mut Scratch, _: usize, unit: &mut Unit<Artefacts>| start.make(env, unit, scratch);
    session.workers.map(units, Scratch::default, make);
}

/// All that are open, and others.
#[derive(Default)]
pub(super) struct Documents {
    pub(super) units: Units,
    /// The folders of the workspace.
    pub(super) folders: Vec<PathBuf>,
    pub(super) open: BTreeMap<String, Document>,
    /// What is in the folders and not open.
    pub(super) others: BTreeMap<String, Other>,
    closed: Vec<String>,
    /// How many were opened.
    opened: u64,
}

/// A source on disk.
pub(super) struct Other {
    /// What changes with it: its length, and when it was written.
    pub(super) stamp: (u64, Option<SystemTime>),
    pub(super) document: Document,
}

impl Documents {
    pub(super) fn open(&mut self, uri: &str, version: Option<i64>, text: &str) {
        let mut document = Document::new(uri, version, text.as_bytes().to_vec(), self.units);
        self.opened += 1;
        document.texts = self.opened << 32;
        self.open.insert(uri.to_string(), document);
    }

    pub(super) fn close(&mut self, uri: &str) {
        if self.open.remove(uri).is_some() {
            self.closed.push(uri.to_string());
        }
    }

    pub(super) fn get_mut(&mut self, uri: &str) -> Option<&mut Document> {
        self.open.get_mut(uri)
    }

    /// True if there is something to check.
    pub(super) fn has_stale(&self) -> bool {
        self.open.values().any(|document| document.is_stale)
    }

    /// One that has changed, which counts as checked then.
    pub(super) fn next_stale(&mut self) -> Option<&mut Document> {
        let document = self.open.values_mut().find(|document| document.is_stale)?;
        document.is_stale = false;
        Some(document)
    }

    /// What was closed since the last call.
    pub(super) fn take_closed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.closed)
    }
}
