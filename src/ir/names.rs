//! What the values and blocks of a body are called in dumps: `%sum.7` after a variable of the source, `%v7`
//! without one, `b3`. Kept only where something is dumped.
//!
//! A name belongs to its value: the number is that of the instruction's row, which is never used again, so
//! one dump can be compared with the next. Names that were read keep their numbers, and rows that are made
//! later get larger ones. So text that is printed, read and printed again is the same text.

use super::{Block, Inst};
use crate::base::{Column, Handle, Interner, Name, Opt};

/// The names of a body.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Interner,
    insts: Column<Inst, Label>,
    /// Per block: the number that it was read with, plus one.
    blocks: Column<Block, u32>,
    /// What is added to the number of a row, or block, that has none of its own.
    first: u32,
}

/// A name: a text, and a number of its own plus one, or 0.
#[derive(Copy, Clone, Debug, Default)]
struct Label {
    text: Opt<Name>,
    number: u32,
}

/// Numbers of text are below.
const MOST: u32 = 1 << 30;

/// A number as it is printed.
fn number(text: &str) -> Option<u32> {
    let plain = text == "0" || !text.starts_with('0') && text.bytes().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|&number| plain && number < MOST)
}

/// What a value is called after, and its number, in a name.
fn halves(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once('.').and_then(|(base, tail)| Some((base, number(tail)?))) {
        Some((base, known)) if !base.is_empty() => (base, Some(known)),
        _ => match text.strip_prefix('v').and_then(number) {
            Some(known) => ("", Some(known)),
            None => (text, None),
        },
    }
}

impl Names {
    /// Calls a value after something, if it has no such name yet.
    pub fn name(&mut self, i: Inst, text: &str) {
        if self.text(i).is_none() {
            self.insts.grow_to(i.index() + 1, Label::default());
            self.insts[i].text = Opt::some(self.texts.intern(text));
        }
    }

    /// Calls a value after what another one is called after.
    pub fn name_after(&mut self, i: Inst, other: Inst) {
        if let Some(&Label { text, .. }) = self.insts.get(other)
            && text.is_some()
            && self.text(i).is_none()
        {
            self.insts.grow_to(i.index() + 1, Label::default());
            self.insts[i].text = text;
        }
    }

    /// What a value is called after.
    pub fn text(&self, i: Inst) -> Option<&str> {
        Some(self.texts.text(self.insts.get(i)?.text.get()?))
    }

    /// The number of a value.
    pub fn number(&self, i: Inst) -> u32 {
        match self.insts.get(i) {
            Some(&Label { number: number @ 1.., .. }) => number - 1,
            _ => self.first + i.index() as u32,
        }
    }

    /// The number of a block.
    pub fn block(&self, b: Block) -> u32 {
        match self.blocks.get(b) {
            Some(&number @ 1..) => number - 1,
            _ => self.first + b.index() as u32,
        }
    }

    /// Gives a value its number for good.
    pub fn keep_number(&mut self, i: Inst, number: u32) {
        self.insts.grow_to(i.index() + 1, Label::default());
        self.insts[i].number = number + 1;
        self.first = self.first.max(number + 1);
    }

    /// A value had this name in text; the first counts, if it had several.
    pub fn read(&mut self, i: Inst, text: &str) {
        if self.insts.get(i).is_some_and(|label| label.number != 0 || label.text.is_some()) {
            return;
        }
        self.read_part(i, text);
        if let (_, Some(known)) = halves(text) {
            self.keep_number(i, known);
        }
    }

    /// Calls a value what another one that goes was called, if it has no name.
    pub fn pass(&mut self, from: Inst, to: Inst) {
        let Some(&label) = self.insts.get(from) else { return };
        self.insts.grow_to(to.index() + 1, Label::default());
        let row = &mut self.insts[to];
        if row.number == 0 && row.text.is_none() {
            *row = label;
        }
    }

    /// A value is a part of what had this name in text: it has a number of its own.
    pub fn read_part(&mut self, i: Inst, text: &str) {
        let (base, known) = halves(text);
        // Parameters without a name are called by their position, and others of LLVM's by a number.
        let digits = base.strip_prefix('p').unwrap_or(base);
        if known.is_some() && !base.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
            self.name(i, base);
        }
    }

    /// A block had this name in text.
    pub fn read_block(&mut self, b: Block, text: &str) {
        if let Some(known) = text.strip_prefix('b').and_then(number) {
            self.keep_block(b, known);
        }
    }

    /// Gives a block its number for good.
    pub fn keep_block(&mut self, b: Block, number: u32) {
        self.blocks.grow_to(b.index() + 1, 0);
        self.blocks[b] = number + 1;
        self.first = self.first.max(number + 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::base::Handle;
    use crate::ir::body::packed::{Packer, pack};
    use crate::ir::parse::parse_named;
    use crate::ir::{At, Op, Place, Type, Value, print};

    const TEXT: &str = "\
define i32 @f(i32 %n.0, i32 %p1) {
b2:
  %sum.7 = add i32 %n.0, 1
  %v9 = mul i32 %sum.7, %p1
  br label %b5
b5:
  %a.b.3 = sub i32 %v9, %sum.7
  ret i32 %a.b.3
}
";

    #[test]
    fn names_are_read_and_printed_and_what_is_new_gets_new_ones() {
        let mut m = parse_named(TEXT).unwrap();
        assert_eq!(print::module(&m), TEXT);
        let f = m.nth_mut(0);
        let [n, sum, v] = [0, 2, 3].map(Handle::new);
        let x = f.insert(At::After(sum), Op::Add, Type::I32, &[Value::inst(n); 2], 0, Place::NONE);
        f.replace(sum, Value::inst(x));
        f.insert(At::After(v), Op::Mul, Type::I32, &[Value::inst(v); 2], 0, Place::NONE);
        let want = TEXT.replace("%sum.7 = add i32 %n.0, 1", "%sum.17 = add i32 %n.0, %n.0");
        let want = want.replace("sum.7", "sum.17");
        let want = want.replace("  br", "  %v18 = mul i32 %v9, %v9\n  br");
        assert_eq!(print::body(&m.env, m.nth(0)), want);
        let small = pack(m.nth(0), &mut Packer::default()).unpack(None).unwrap();
        assert_eq!(print::body(&m.env, &small), want);
    }

    #[test]
    fn names_of_others_are_told_apart() {
        let text = "define i32 @f(i32 %0, i32 %x, i32 %p7) {
             %2 = add i32 %0, %x
             %v3 = add i32 %2, %p7
             %.lr = add i32 %v3, %2
             %x.07 = add i32 %.lr, %2
             %\"x y\" = add i32 %x.07, %.lr
             ret i32 %\"x y\"
           }";
        let once = print::module(&parse_named(text).unwrap());
        assert!(
            once.contains("%\"x y.") && once.contains("%x.07.") && once.contains("%p0, i32 %x."),
            "{once}"
        );
        assert_eq!(print::module(&parse_named(&once).unwrap()), once);
    }
}
