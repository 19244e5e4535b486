//! What stands before and behind the type of a global or function: linkage, visibility, convention, comdat. Each word has its
//! place in a fixed order and stands there once; what that means for definitions and declarations is checked here. O(1) each.

use super::attribute::Sizes;
use super::keywords::{Handling, Places};
use super::lexer::{Text, Token};
use super::words::meaning;
use super::{Parsed, Parser, Symbol};
use crate::base::Opt;
use crate::ir::{FuncId, Hints, Linkage, Scope, Visibility};

/// What has a head.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Definition,
    Declaration,
    Global,
}

/// What a head said.
#[derive(Copy, Clone, Debug)]
pub(super) struct Head<'a> {
    pub(super) linkage: Linkage,
    /// The word that said so, or nothing.
    pub(super) word: &'a str,
    pub(super) scope: Scope,
}

/// Words of linkage that say that what follows is one of many that are alike.
const WEAK: [&str; 4] = ["weak", "linkonce", "weak_odr", "linkonce_odr"];

/// Conventions that are C's as long as both sides are of this text.
const OWN: [&str; 2] = ["fastcc", "coldcc"];
/// The one by which functions may jump to each other.
pub(super) const TAIL: &str = "tailcc";

impl<'a> Parser<'a> {
    /// The error that a refused word is.
    #[cold]
    pub(super) fn refused<T>(&self, at: usize, word: &str, note: &str) -> Parsed<T> {
        self.error_at(at, format!("`{word}` is not supported: {note}"))
    }

    /// Linkage, whether the linker may choose another one, visibility, storage: in this order.
    pub(super) fn head(&mut self, of: Of) -> Parsed<Head<'a>> {
        let at = self.start;
        let word = match self.token {
            Token::Word(word) if meaning(word).row.is_some_and(|row| row.at == Places::HEAD) => word,
            _ => "",
        };
        let linkage = match word {
            "external" if of == Of::Global => Some(Linkage::Declared),
            "external" => Some(Linkage::External),
            "private" | "internal" => Some(Linkage::Internal),
            "extern_weak" => Some(Linkage::Declared),
            "common" if of == Of::Global => Some(Linkage::Weak),
            "common" | "appending" => return self.error(format!("`{word}` is not supported here")),
            "available_externally" => return self.refuse_word(word),
            _ if WEAK.contains(&word) => Some(Linkage::Weak),
            _ => None,
        };
        if linkage.is_some() {
            self.advance()?;
        }
        let is_declared = matches!(linkage, None | Some(Linkage::External | Linkage::Declared));
        if of == Of::Definition && word == "extern_weak" || of == Of::Declaration && !is_declared {
            let what = if of == Of::Definition { "defined" } else { "declared" };
            return self.error_at(at, format!("`{word}` cannot stand at what is {what}"));
        }
        let word = if linkage.is_some() { word } else { "" };
        let mut scope = Scope { local: self.eat_word("dso_local")?, ..Scope::default() };
        if !scope.local {
            self.eat_word("dso_preemptable")?;
        }
        if let Token::Word(visibility @ ("default" | "hidden" | "protected")) = self.token {
            if linkage == Some(Linkage::Internal) && visibility != "default" {
                return self.error(format!("`{visibility}` cannot stand at what is {word}"));
            }
            scope.visibility = match visibility {
                "hidden" => Visibility::Hidden,
                "protected" => Visibility::Protected,
                _ => Visibility::Default,
            };
            self.advance()?;
        }
        if let Token::Word(word @ ("dllimport" | "dllexport")) = self.token {
            return self.refuse_word(word);
        }
        Ok(Head { linkage: linkage.unwrap_or(Linkage::External), word, scope })
    }

    /// The error that the token is, which is a refused word.
    pub(super) fn refuse_word<T>(&self, word: &str) -> Parsed<T> {
        let note = meaning(word).row.map_or("", |row| row.note);
        self.refused(self.start, word, note)
    }

    /// `unnamed_addr`, of either kind, if it is there.
    pub(super) fn eat_unnamed(&mut self) -> Parsed<()> {
        if !self.eat_word("unnamed_addr")? {
            self.eat_word("local_unnamed_addr")?;
        }
        Ok(())
    }

    /// How a function is called, if something says so: the word if it is C's convention only as long as both sides are of
    /// this text, and where it stands.
    pub(super) fn convention(&mut self) -> Parsed<Option<(&'static str, usize)>> {
        let (Token::Word(word), at) = (self.token, self.start) else { return Ok(None) };
        let number = word.strip_prefix("cc").filter(|rest| rest.bytes().all(|c| c.is_ascii_digit()));
        if let Some(digits) = number {
            self.advance()?;
            let number = match digits.parse::<u64>() {
                Ok(number) => number,
                Err(_) => self.number()?,
            };
            return match number {
                0 => Ok(None),
                8 => Ok(Some((OWN[0], at))),
                9 => Ok(Some((OWN[1], at))),
                18 => Ok(Some((TAIL, at))),
                _ => self.refused(at, &format!("cc {number}"), "use the C convention"),
            };
        }
        let Some(row) = meaning(word).row.filter(|row| row.at == Places::CONVENTION) else { return Ok(None) };
        let is_here = match word {
            "arm_aapcs_vfpcc" => ["armv7", ""].contains(&self.platform.name),
            _ => row.handling != Handling::Refused,
        };
        if !is_here {
            return self.refuse_word(word);
        }
        self.advance()?;
        Ok(OWN.into_iter().chain([TAIL]).find(|&own| own == word).map(|own| (own, at)))
    }

    /// That a call of a function by a convention is one inside of this text.
    pub(super) fn called_by(&self, said: Option<(&str, usize)>, func: Option<FuncId>) -> Parsed<()> {
        let row = func.map(|func| &self.module.env.funcs[func]);
        let is_tail = said.is_some_and(|said| said.0 == TAIL);
        if row.is_some_and(|row| row.tail != is_tail) {
            return self.error("the convention of this call is not that of the function");
        }
        let Some((word, at)) = said.filter(|_| !is_tail) else { return Ok(()) };
        match row.is_some_and(|row| row.linkage == Linkage::Internal || row.kept) {
            true => Ok(()),
            false => self.refused_here(at, word),
        }
    }

    /// That such a convention is not what other objects can know.
    #[cold]
    pub(super) fn refused_here<T>(&self, at: usize, word: &str) -> Parsed<T> {
        self.refused(at, word, "of a function that is not internal; use the C convention")
    }

    // ---- Behind functions ------------------------------------------------------------------------------

    /// `personality ptr @f`: what is said, and where.
    pub(super) fn personality(&mut self, defines: bool) -> Parsed<(Text<'a>, usize)> {
        let at = self.start;
        self.advance()?;
        self.expect_word("ptr")?;
        if !defines {
            return self.error_at(at, "what is declared has no `personality`");
        }
        let Token::Global(name) = self.token else { return self.expected("a function") };
        let at = self.start;
        self.advance()?;
        Ok((name, at))
    }

    /// That the parameters that say how much a function allocates are there, and integers.
    pub(super) fn sizes_fit(&self, (sizes, at): Sizes, func: FuncId) -> Parsed<()> {
        let row = &self.module.env.funcs[func];
        let is_int = |k: u64| row.params.get(k as usize).is_some_and(|ty| ty.is_int());
        // Of what has several parts there are others than in the text.
        if row.parts.is_some() || sizes.into_iter().all(is_int) {
            return Ok(());
        }
        self.error_at(at as usize, "`allocsize` of what is no integer among the parameters")
    }

    /// When all are known: groups of attributes, and functions that nothing calls.
    pub(super) fn settle_heads(&mut self) -> Parsed<()> {
        self.groups.sort_by_key(|row| row.0);
        for &(number, func) in &self.in_groups {
            let row = self.groups.binary_search_by_key(&number, |row| row.0).ok().map(|k| &self.groups[k]);
            let (sizes, hints) = row.map_or((None, Hints::default()), |row| (row.2, row.3));
            if let Some(sizes) = sizes {
                self.sizes_fit(sizes, func)?;
            }
            let own = &mut self.module.env.funcs[func].hints;
            *own = own.and(hints);
        }
        for (name, at, func) in std::mem::take(&mut self.personalities) {
            match self.symbol(name)? {
                Symbol::None => {
                    let name = self.name_text(name)?;
                    return self.error_at(at, format!("`@{name}` is not defined"));
                }
                Symbol::Func(routine) => {
                    self.module.env.funcs[func].personality = Opt::some(routine);
                    self.note_unwinding();
                }
                _ => return self.error_at(at, "a personality routine that is no function is not supported"),
            }
        }
        match self.in_comdats.iter().find(|(name, _)| !self.comdats.contains(name)) {
            Some(&(name, at)) => self.error_at(at, format!("the comdat `{name}` is not defined")),
            None => Ok(()),
        }
    }

    // ---- Comdats ----------------------------------------------------------------------------------------

    /// `$x`, `$"x"`: what stands behind the mark. The token is the mark's word.
    fn comdat_name(&mut self) -> Parsed<&'a str> {
        let Token::Word(word) = self.token else { return self.expected("a comdat's name") };
        let Some(name) = word.strip_prefix('$') else { return self.expected("a comdat's name") };
        self.advance()?;
        if !name.is_empty() {
            return Ok(name);
        }
        let Token::String(name) = self.token else { return self.expected("a comdat's name") };
        self.advance()?;
        Ok(name)
    }

    /// `$x = comdat any`.
    pub(super) fn comdat_definition(&mut self) -> Parsed<()> {
        let at = self.start;
        let name = self.comdat_name()?;
        self.expect(b'=')?;
        self.expect_word("comdat")?;
        self.expect_word("any")?;
        if !self.comdats.insert(name) {
            return self.error_at(at, format!("the comdat `{name}` is defined twice"));
        }
        Ok(())
    }

    /// `comdat` or `comdat($x)`, if it is there; without a name it is that of what it is said of.
    pub(super) fn eat_comdat(&mut self, of: &'a str, is_declared: bool) -> Parsed<()> {
        let at = self.start;
        if !self.eat_word("comdat")? {
            return Ok(());
        }
        if is_declared {
            return self.error_at(at, "what is declared is in no comdat");
        }
        let mut name = of;
        if self.eat(b'(')? {
            name = self.comdat_name()?;
            self.expect(b')')?;
        }
        self.in_comdats.push((name, at));
        Ok(())
    }
}
