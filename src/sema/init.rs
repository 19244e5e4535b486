//! Initialisers of arrays, with the brace rules resolved: what goes where.
//!
//! A constant initialiser (of a global, or of a `const` array) is an *image*: runs of words, zeros between
//! them, so that its size is that of what is written, not of the array. Any other is a list of *elements* in
//! order of evaluation; what the list leaves out is zero. Offsets count elements of 4 bytes from the start of
//! the array, and rise.

use crate::base::Column;
use crate::syntax::tree::Node;

crate::handle! {
    /// A resolved initialiser list: a row of `Inits::rows`.
    pub struct Init("i");
}

/// One initialiser: ranges of `Inits::runs` and `Inits::elements`; one of the two is empty.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct InitRow {
    /// First run of the image.
    pub run_start: u32,
    /// Behind its last run.
    pub run_end: u32,
    /// First element.
    pub element_start: u32,
    /// Behind the last element.
    pub element_end: u32,
}

/// Words that stand side by side in an image.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Element offset of the first word.
    pub offset: u32,
    /// The first word in `Inits::words`.
    pub word: u32,
    /// Number of words.
    pub len: u32,
}

/// One element that is computed when the declaration is executed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Element offset in the array.
    pub offset: u32,
    /// The expression; it is converted to the array's element type.
    pub node: Node,
}

/// All initialisers of a program.
#[derive(Clone, Debug, Default)]
pub struct Inits {
    /// The initialisers.
    pub rows: Column<Init, InitRow>,
    /// Runs of the images, by offset within each.
    pub runs: Vec<Run>,
    /// Words of the runs.
    pub words: Vec<u32>,
    /// Elements of the lists, by offset within each (which is the order of evaluation).
    pub elements: Vec<Element>,
}

/// Zeros up to this many are written out between two runs: a run costs three words.
const GAP: u32 = 3;

impl Inits {
    /// The runs of an image: offset of the first word, and the words. Everything else is zero.
    pub fn image(&self, init: Init) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        let row = self.rows[init];
        self.runs[row.run_start as usize..row.run_end as usize]
            .iter()
            .map(|run| (run.offset, &self.words[run.word as usize..][..run.len as usize]))
    }

    /// The elements of a list.
    pub fn elements(&self, init: Init) -> &[Element] {
        let row = self.rows[init];
        &self.elements[row.element_start as usize..row.element_end as usize]
    }

    /// The word of an image at an element offset. O(log runs).
    pub fn word_at(&self, init: Init, offset: u32) -> u32 {
        let row = self.rows[init];
        let runs = &self.runs[row.run_start as usize..row.run_end as usize];
        let behind = runs.partition_point(|run| run.offset <= offset);
        let Some(run) = behind.checked_sub(1).map(|k| runs[k]) else { return 0 };
        let k = offset - run.offset;
        if k < run.len { self.words[(run.word + k) as usize] } else { 0 }
    }

    /// Drops all initialisers and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.runs.clear();
        self.words.clear();
        self.elements.clear();
    }

    /// Opens a row; words and elements written next are its own.
    pub(super) fn open(&mut self) -> Init {
        let (runs, elements) = (self.runs.len() as u32, self.elements.len() as u32);
        self.rows.push(InitRow {
            run_start: runs,
            run_end: runs,
            element_start: elements,
            element_end: elements,
        })
    }

    /// Writes the next word of the image that was opened last; offsets rise.
    pub(super) fn write(&mut self, init: Init, offset: u32, word: u32) {
        if word == 0 {
            return;
        }
        let row = &mut self.rows[init];
        if row.run_end > row.run_start
            && let Some(run) = self.runs.last_mut()
            && offset - (run.offset + run.len) <= GAP
        {
            let zeros = offset - (run.offset + run.len);
            self.words.extend(std::iter::repeat_n(0, zeros as usize));
            run.len += zeros + 1;
        } else {
            self.runs.push(Run { offset, word: self.words.len() as u32, len: 1 });
            row.run_end += 1;
        }
        self.words.push(word);
    }

    /// Appends an element to the list that was opened last.
    pub(super) fn element(&mut self, init: Init, offset: u32, node: Node) {
        self.elements.push(Element { offset, node });
        self.rows[init].element_end += 1;
    }
}
