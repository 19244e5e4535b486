//! Metadata, which is stepped over: what is used has to be defined, once, and kinds that say something of values have to be what
//! LLVM wants them to be (`keywords::METADATA`). Nodes are looked at where they stand in the text. Compilers number nodes from
//! 0 without gaps, so that a use is one comparison; else O(log nodes) each.

use super::keywords::{Handling, Kind, Rule, kind_of};
use super::lexer::{Lexer, Token};
use super::{Parsed, Parser};
use crate::ir::{Calls, Flags, FuncId, Op, Type};

/// The nodes of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    /// Number, and where the node stands; in order once all are known.
    rows: Vec<(u64, u32)>,
    /// All below this one are there.
    dense: u64,
    /// Uses before all are known: number, and where.
    used: Vec<(u64, u32)>,
    /// Bodies are read: all are known.
    is_known: bool,
}

impl Nodes {
    /// True if there is one of this number.
    #[inline(always)]
    pub(super) fn has(&self, number: u64) -> bool {
        number < self.dense || self.place(number).is_some()
    }

    pub(super) fn place(&self, number: u64) -> Option<u32> {
        let k = self.rows.binary_search_by_key(&number, |row| row.0).ok()?;
        Some(self.rows[k].1)
    }
}

/// What an instruction is to its metadata.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Bearer {
    pub(super) op: Option<Op>,
    /// `Void` for one of several parts.
    pub(super) ty: Type,
    /// Of an integer that is words, how wide it is; else 0.
    pub(super) bits: u32,
    /// It says how memory is aligned.
    pub(super) has_align: bool,
}

impl Bearer {
    /// One of which nothing is known but that it is none of those that kinds stand on.
    pub(super) const OTHER: Bearer = Bearer { op: None, ty: Type::Void, bits: 0, has_align: false };

    /// The same of an access to memory.
    pub(super) const MEMORY: Bearer = Bearer { has_align: true, ..Bearer::OTHER };

    /// A load of a type.
    pub(super) const fn load(ty: Type) -> Bearer {
        Bearer { op: Some(Op::Load), ty, bits: 0, has_align: true }
    }
}

impl<'a> Parser<'a> {
    /// `!12 = ...`, `!name = ...`.
    pub(super) fn metadata(&mut self, name: &'a str) -> Parsed<()> {
        let at = self.start;
        self.advance()?;
        self.expect(b'=')?;
        let is_distinct = self.eat_word("distinct")?;
        let Ok(number) = name.parse::<u64>() else {
            // A list of nodes.
            if name.is_empty() || is_distinct || self.token != Token::Meta("") {
                return self.expected("a list of metadata");
            }
            if name == "llvm.module.flags" {
                self.flags = Some(self.lexer.at);
            }
            return self.skip_meta();
        };
        self.nodes.rows.push((number, self.start as u32));
        match self.token {
            Token::Meta("") => {}
            Token::Meta(name) if name.parse::<u64>().is_err() => {}
            _ => return self.expected("a node of metadata"),
        }
        if self.token == Token::Meta("") && !matches!(self.lexer.clone().next(), Ok((Token::Mark(b'{'), _))) {
            return self.error_at(at, "a node of metadata has brackets");
        }
        self.skip_meta()
    }

    /// When all are known.
    pub(super) fn settle_nodes(&mut self) -> Parsed<()> {
        let nodes = &mut self.nodes;
        nodes.rows.sort_unstable();
        nodes.is_known = true;
        if let Some(two) = nodes.rows.windows(2).find(|two| two[0].0 == two[1].0) {
            let (number, at) = (two[0].0, two[1].1);
            return self.error_at(at as usize, format!("the metadata `!{number}` is defined twice"));
        }
        nodes.dense = (0..).zip(&nodes.rows).take_while(|(k, row)| row.0 == *k).count() as u64;
        let used = std::mem::take(&mut nodes.used);
        match used.into_iter().find(|row| !self.nodes.has(row.0)) {
            Some((number, at)) => self.undefined(number, at as usize),
            None => Ok(()),
        }
    }

    fn undefined<T>(&self, number: u64, at: usize) -> Parsed<T> {
        self.error_at(at, format!("the metadata `!{number}` is not defined"))
    }

    /// Notes that the token, which is `!` and this, is used.
    pub(super) fn use_node(&mut self, name: &str) -> Parsed<()> {
        let Ok(number) = name.parse::<u64>() else { return Ok(()) };
        if !self.nodes.is_known {
            self.nodes.used.push((number, self.start as u32));
            return Ok(());
        }
        if self.nodes.has(number) { Ok(()) } else { self.undefined(number, self.start) }
    }

    /// Steps over a metadata value: `!12`, `!{...}`, `!DILocation(...)`, `!"text"`.
    pub(super) fn skip_meta(&mut self) -> Parsed<()> {
        let Token::Meta(name) = self.token else { return self.expected("metadata") };
        self.use_node(name)?;
        self.advance()?;
        match self.token {
            Token::Mark(b'{') if name.is_empty() => self.skip_balanced(),
            Token::Mark(b'(') if !name.is_empty() => self.skip_balanced(),
            Token::String(_) if name.is_empty() => self.advance(),
            _ if name.parse::<u64>().is_err() => self.expected("metadata"),
            _ => Ok(()),
        }
    }

    /// `!kind !12` of a global or function: the kind is the token.
    pub(super) fn attachment(&mut self) -> Parsed<()> {
        let Token::Meta(kind) = self.token else { return self.expected("metadata") };
        if let Some(row) = kind_of(kind).filter(|row| row.handling == Handling::Refused) {
            return self.refused(self.start, &format!("!{kind}"), row.note);
        }
        self.advance()?;
        self.attached()?;
        self.skip_meta()
    }

    /// That what stands behind a kind is a node, and no text.
    pub(super) fn attached(&mut self) -> Parsed<()> {
        let mut ahead = self.lexer.clone();
        match (self.token, ahead.next()) {
            (Token::Meta(""), Ok((Token::Mark(b'{'), _))) => Ok(()),
            (Token::Meta(name), _) if !name.is_empty() => Ok(()),
            _ => self.expected("a node of metadata"),
        }
    }

    /// That the node at the token is what its kind has to be, on such an instruction.
    pub(super) fn check_node(&self, kind: &Kind, bearer: Bearer) -> Parsed<()> {
        let Bearer { op, ty, bits, .. } = bearer;
        let is_load = matches!(op, Some(Op::Load | Op::LoadVolatile));
        let wrong = |what: &str| self.error(format!("`!{}` {what}", kind.name));
        let is_there = match kind.rule {
            Rule::Free | Rule::Profile => true,
            Rule::Range => (is_load || op == Some(Op::Call)) && (bits != 0 || ty.element().is_int()),
            Rule::NonNull => is_load && ty == Type::Ptr,
            Rule::NoUndef => is_load,
            Rule::Number(casts) => (is_load || casts && op == Some(Op::IntToPtr)) && ty == Type::Ptr,
        };
        if !is_there {
            return wrong("cannot stand here");
        }
        if kind.rule == Rule::Profile {
            return if self.is_profile() { Ok(()) } else { wrong("is not what it has to be") };
        }
        let Some(numbers) = self.numbers_at_token() else {
            return match kind.rule {
                Rule::Free => Ok(()),
                _ => wrong("is no list of numbers"),
            };
        };
        let is_so = match kind.rule {
            Rule::Free | Rule::NoUndef | Rule::Profile => true,
            Rule::NonNull => numbers.is_empty(),
            Rule::Number(_) => {
                matches!(*numbers, [("i64", x)] if kind.name != "align" || x > 0 && (x as u64).is_power_of_two())
            }
            Rule::Range => {
                let name = if bits == 0 { ty.element().name().to_string() } else { format!("i{bits}") };
                let [low, high] = [0, 1].map(|k| numbers.iter().skip(k).step_by(2));
                !numbers.is_empty()
                    && numbers.len().is_multiple_of(2)
                    && numbers.iter().all(|number| number.0 == name)
                    && low.zip(high).all(|(low, high)| low.1 != high.1)
            }
        };
        if is_so { Ok(()) } else { wrong("is not what it has to be") }
    }

    /// Behind the start of the node that the token names or begins.
    fn node_at_token(&self) -> Option<Lexer<'a>> {
        match self.token {
            Token::Meta(name) => self.node_of(name, self.lexer.clone()),
            _ => None,
        }
    }

    /// Behind the start of a node, by what stands behind the mark, which `behind` is behind.
    pub(super) fn node_of(&self, name: &str, behind: Lexer<'a>) -> Option<Lexer<'a>> {
        if name.is_empty() {
            return Some(behind);
        }
        let at = self.nodes.place(name.parse().ok()?)? as usize;
        let mut lexer = Lexer { text: self.lexer.text, at };
        lexer.next().ok()?;
        Some(lexer)
    }

    /// True if the node at the token is a name and something behind it.
    fn is_profile(&self) -> bool {
        let Some(mut lexer) = self.node_at_token() else { return false };
        let next: Vec<Token> = (0..4).map_while(|_| Some(lexer.next().ok()?.0)).collect();
        matches!(*next, [Token::Mark(b'{'), Token::Meta(""), Token::String(_), Token::Mark(b',')])
    }

    /// What weights of a branch say that stand behind it; the token is the comma. They are counts in a function of which it is
    /// known how often it was called. Elsewhere one side weighs at least `LIKELY` times what the other does, or nothing is said.
    pub(super) fn weights_ahead(&self, func: FuncId) -> Flags {
        let weights = self.weights().unwrap_or_default();
        let [yes, no] = weights;
        if weights != [0; 2] && self.module.env.funcs[func].hints.calls.is_some() {
            return Flags::odds(yes, no);
        }
        match weights {
            [yes, no] if yes > no.saturating_mul(LIKELY) => Flags::LIKELY,
            [yes, no] if no > yes.saturating_mul(LIKELY) => Flags::UNLIKELY,
            _ => Flags::NONE,
        }
    }

    fn weights(&self) -> Option<[u64; 2]> {
        let mut lexer = self.lexer.clone();
        let mut comma = self.token;
        while comma == Token::Mark(b',') {
            let (Token::Meta(kind), Token::Meta(node)) = (lexer.next().ok()?.0, lexer.next().ok()?.0) else {
                return None;
            };
            if kind == "prof" {
                return weights_of(self.node_of(node, lexer)?);
            }
            node.parse::<u64>().ok()?;
            comma = lexer.next().ok()?.0;
        }
        None
    }

    /// Notes that what is attached to a function here may say how often that was called.
    pub(super) fn note_entry_count(&mut self, func: FuncId) {
        let mut lexer = self.lexer.clone();
        if let (Token::Meta("prof"), Ok((Token::Meta(node), _))) = (self.token, lexer.next()) {
            self.entry_counts.push((func, node, lexer));
        }
    }

    /// When all nodes are known: how often functions were called, and which of them most.
    pub(super) fn settle_entry_counts(&mut self) {
        let mut most = None;
        for (func, node, behind) in std::mem::take(&mut self.entry_counts) {
            let Some(count) = self.node_of(node, behind).and_then(entry_count_of) else { continue };
            let hints = &mut self.module.env.funcs[func].hints;
            hints.calls = Some(Calls { count, hot: false });
            hints.cold |= count == 0;
            most = most.max(Some(count));
        }
        if let Some(most) = most {
            self.module.env.find_hot(most);
        }
    }

    /// The numbers of that node, each with its type.
    fn numbers_at_token(&self) -> Option<Vec<(&'a str, i64)>> {
        let mut lexer = self.node_at_token()?;
        let mut next = || lexer.next().ok().map(|row| row.0);
        let mut numbers = Vec::new();
        if next()? != Token::Mark(b'{') {
            return None;
        }
        loop {
            let (ty, text) = match (next()?, numbers.is_empty()) {
                (Token::Mark(b'}'), true) => return Some(numbers),
                (Token::Word(ty), _) => (ty, next()?),
                _ => return None,
            };
            let number = match text {
                Token::Int(text) => text.parse::<i128>().ok()? as i64,
                Token::Word("true") => -1,
                Token::Word("false") => 0,
                _ => return None,
            };
            numbers.push((ty, number));
            match next()? {
                Token::Mark(b',') => {}
                Token::Mark(b'}') => return Some(numbers),
                _ => return None,
            }
        }
    }
}

/// How often a function was called, from a node `!{!"function_entry_count", i64 5}` behind its mark.
fn entry_count_of(mut lexer: Lexer) -> Option<u64> {
    let mut next = || lexer.next().ok().map(|row| row.0);
    let (open, name, text) = (next()?, next()?, next()?);
    let is_count =
        (open, name, text) == (Token::Mark(b'{'), Token::Meta(""), Token::String("function_entry_count"));
    let (comma, ty, count) = (next()?, next()?, next()?);
    let (true, Token::Mark(b','), Token::Word("i64"), Token::Int(count)) = (is_count, comma, ty, count)
    else {
        return None;
    };
    // Of a function of which nothing is known LLVM writes -1.
    count.parse::<u64>().ok().filter(|&count| count != u64::MAX)
}

/// How much more often a branch has to go one way for that to say something. `__builtin_expect` says 2000.
const LIKELY: u64 = 8;

/// The weights of a branch, from a node `!{!"branch_weights", i32 2000, i32 1}` behind its mark.
fn weights_of(mut lexer: Lexer) -> Option<[u64; 2]> {
    let mut next = || lexer.next().ok().map(|row| row.0);
    let (mut weights, mut count) = ([0; 2], 0);
    next().filter(|token| *token == Token::Mark(b'{'))?;
    loop {
        match next()? {
            // Its name, and where it comes from.
            Token::Meta("") => _ = next()?,
            Token::Word(_) => {
                let Token::Int(text) = next()? else { return None };
                *weights.get_mut(count)? = u64::from(text.parse::<i64>().ok()? as u32);
                count += 1;
            }
            _ => return None,
        }
        match next()? {
            Token::Mark(b',') => {}
            Token::Mark(b'}') => return (count == 2).then_some(weights),
            _ => return None,
        }
    }
}
