//! From a text to functions, and these through the plan of a level.

use super::failure::Failure;
use super::road;
use super::start::{self, Begun, Texts, Wanted};
use crate::backend::code;
use crate::base::parallel::Workers;
use crate::ir::{Env, position};
use crate::isa::symbols::{self, Symbols};
use crate::opt::run::manager::{How, Step};
use crate::opt::run::pipeline;
use crate::opt::{self, Level, Report};
use crate::source::SourceFile;

/// Bytes of source in a window, a worker; their IR is about ten times as many. In larger ones less is in the
/// cache (2 MB cost 3% more at a million lines), behind smaller ones workers wait for each other more often.
const WINDOW: usize = 1 << 18;

/// Bytes of source from which IR that waits for the rest of the program is packed. A million lines take
/// 200 MB packed, and 1.3 GB as they are. To pack and unpack costs 7% of the instructions of -O2, and
/// time only below 30,000 lines: at 100,000 (3.4 MB) it saves 4 to 9% of the time of -O2.
pub const PACKS_FROM: usize = 2 << 20;

/// What is asked of a program.
#[derive(Copy, Clone)]
pub struct Asked<'a> {
    /// Of the front end.
    pub wanted: Wanted<'a>,
    /// Of the back end.
    pub code: code::Options,
    /// Where the program is loaded, and who sees its names.
    pub place: position::Asked,
    /// Of passes.
    pub passes: &'a opt::Options,
    /// The steps.
    pub plan: &'static [Step],
    /// Bytes of source in a window, a worker; none for what serves best.
    pub window: Option<usize>,
    /// See `PACKS_FROM`.
    pub packs_from: usize,
    /// Bodies stay when there is code of them.
    pub keeps_bodies: bool,
    /// Nothing but the runtime library is linked with it.
    pub linked_alone: bool,
    /// Who does it.
    pub workers: &'a Workers,
}

/// The steps of a level; `checked`: of a program that is executed as it is written. A pass may assume that nothing
/// undefined happens, and the check is there to find out.
pub fn plan(level: u8, checked: bool) -> &'static [Step] {
    if checked { pipeline::O0 } else { pipeline::plan(self::level(level)) }
}

/// A level by its number; what is above the last is the last.
pub fn level(number: u8) -> Level {
    Level::ALL[usize::from(number).min(Level::ALL.len() - 1)]
}

/// What came of a program: its functions, and what passes have to tell, with the names of things.
pub type Done<'a> = (Begun<'a>, Result<(Report, Symbols), Failure>);

/// From SysY to functions, and these through the plan.
pub fn source<'a>(file: &'a SourceFile, asked: &Asked<'a>, texts: &mut Texts) -> Done<'a> {
    let wanted = asked.wanted;
    let shows_text = wanted.tokens || wanted.tree;
    let outline = || start::outline(file, wanted, asked.workers);
    let begun = if shows_text { None } else { outline() };
    let mut begun = begun.unwrap_or_else(|| start::whole(file, wanted, texts));
    let mut done = take(asked, &mut begun);
    if begun.start.as_ref().is_some_and(|start| start.is_misread()) {
        begun = start::whole(file, wanted, texts);
        done = take(asked, &mut begun);
    }
    (begun, done)
}

/// Takes a program through the plan. Its size does not matter.
pub fn take(asked: &Asked, begun: &mut Begun) -> Result<(Report, Symbols), Failure> {
    begun.env.place(&asked.place);
    let Asked { code, passes, plan, workers, packs_from, keeps_bodies, .. } = *asked;
    // Functions of a source with prototypes may call what stands below, and so go in one window.
    let calls_down = begun.start.as_ref().is_some_and(|start| start.outline.sema.calls_down());
    let waits = plan.iter().any(|step| matches!(step, Step::Summary(_)));
    if let Some(text) = begun.text.as_ref().filter(|_| waits) {
        text.order(&begun.env, &mut begun.units, workers);
    }
    let has_windows = waits || begun.text.is_some();
    let window = asked.window.or(has_windows.then_some(WINDOW)).filter(|_| !calls_down);
    let window = window.map(|bytes| bytes.saturating_mul(workers.jobs()));
    let how = How { options: passes, workers, window, packs_from, keeps_bodies };
    let names = symbols::symbols(&begun.env, code.target, code.text);
    let naming = |symbols: &mut Symbols, env: &Env| symbols::extend(symbols, env, code.target);
    road::take(begun, plan, code, (names, &naming), (how, asked.linked_alone))
}
