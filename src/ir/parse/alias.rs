//! Other names of what is defined (`@a = alias i32 (i32), ptr @b`), and of places in it (`getelementptr (i8, ptr @b, i64 4)`).
//! What is read by such a name is what has the other, or an address that far behind it; only
//! where another definition may take the place of a weak one, calls are of a declared function. In objects both are symbols,
//! at one place or so far apart. O(aliases).

use super::lexer::{Text, Token};
use super::{Parsed, Parser, Symbol, error_at};
use crate::base::{Name, Opt};
use crate::ir::module::Alias;
use crate::ir::{Effect, Func, Linkage, Scope, Type};

/// An alias that has been read.
#[derive(Debug)]
pub(super) struct Read<'a> {
    name: Name,
    linkage: Linkage,
    scope: Scope,
    of: Text<'a>,
    offset: i64,
    at: usize,
}

impl<'a> Parser<'a> {
    /// `alias i32 (i32), ptr @b`, behind the linkage.
    pub(super) fn alias(
        &mut self,
        text: Text<'a>,
        named: usize,
        (linkage, scope): (Linkage, Scope),
    ) -> Parsed<()> {
        if linkage == Linkage::Declared {
            return self.error("an alias is defined here");
        }
        self.advance()?;
        // Its type says nothing that what it leads to does not.
        while !matches!(self.token, Token::Mark(b',') | Token::End) {
            if let Token::Mark(b'(' | b'[' | b'{') = self.token {
                self.skip_balanced()?;
            } else {
                self.advance()?;
            }
        }
        self.expect(b',')?;
        // An expression says its type itself.
        let is_expression =
            matches!(self.token, Token::Word("getelementptr" | "bitcast" | "inttoptr" | "addrspacecast"));
        if !is_expression {
            self.expect_word("ptr")?;
        }
        let at = self.start;
        let is_name = matches!(self.token, Token::Global(_));
        let x = self.constant_of(Type::Ptr)?;
        let (true, Some(of), None, offset) = (is_expression || is_name, x.base, x.less, x.offset) else {
            return self
                .error_at(at, "an alias of something else than a function or a global is not supported");
        };
        let number = self.aliases.len() as u32;
        let name = self.define(text, named, Symbol::Alias(number))?;
        self.aliases.push(Read { name, linkage, scope, of, offset, at });
        Ok(())
    }

    /// When all names are known.
    pub(super) fn settle_aliases(&mut self) -> Parsed<()> {
        // Per alias, what it leads to; those on the way lead there, too.
        let mut ends: Vec<Option<(Symbol, i64)>> = vec![None; self.aliases.len()];
        let mut path = Vec::new();
        for k in 0..self.aliases.len() {
            let Read { name, linkage, scope, at, .. } = self.aliases[k];
            let refused = |p: &Parser, what: &str| Err(error_at(p.lexer.text, at, what));
            let (mut symbol, mut distance) = (Symbol::Alias(k as u32), 0i64);
            while let Symbol::Alias(number) = symbol {
                let next = &self.aliases[number as usize];
                if !path.is_empty() && next.linkage == Linkage::Weak {
                    return refused(self, "an alias of what may be replaced is not supported");
                }
                if let Some(end) = ends[number as usize] {
                    (symbol, distance) = end;
                    break;
                }
                path.push(number);
                if path.len() > self.aliases.len() {
                    return refused(self, "this alias leads to itself");
                }
                symbol = self.symbol(next.of)?;
            }
            for number in path.drain(..).rev() {
                let number: u32 = number;
                distance = distance.saturating_add(self.aliases[number as usize].offset);
                ends[number as usize] = Some((symbol, distance));
            }
            let env = &mut self.module.env;
            let offset = match symbol {
                Symbol::Global(global) => {
                    let bytes = env.shapes.bytes(env.globals[global].shape);
                    u32::try_from(distance).ok().filter(|&distance| u64::from(distance) <= bytes)
                }
                _ => (distance == 0).then_some(0),
            };
            let Some(offset) = offset else {
                return refused(self, "an alias of a place outside of what it leads into is not supported");
            };
            let (of, base, kept) = match symbol {
                Symbol::Func(func) => {
                    let of = env.address_of(func);
                    let row = &mut env.funcs[func];
                    (of, &mut row.linkage, &mut row.kept)
                }
                Symbol::Global(global) => {
                    let row = &mut env.globals[global];
                    (global, &mut row.linkage, &mut row.kept)
                }
                Symbol::Special(_) => {
                    return refused(
                        self,
                        "an alias of thread-local data, or of what need not be there, is not supported",
                    );
                }
                Symbol::None | Symbol::Alias(_) | Symbol::Place(_) => {
                    return refused(self, "this is not defined");
                }
            };
            match *base {
                Linkage::Internal => (*base, *kept) = (Linkage::External, true),
                Linkage::External => {}
                Linkage::Weak => return refused(self, "an alias of what may be replaced is not supported"),
                Linkage::Declared => return refused(self, "what an alias leads to must be defined here"),
            }
            let weak = linkage == Linkage::Weak;
            let mut func = Opt::NONE;
            // Of data it stays what it is: nothing here may go by it.
            if let Symbol::Func(base) = symbol
                && weak
            {
                let Func { variadic, returns_by, tail, .. } = env.funcs[base];
                let (row, parts) = (&env.funcs[base], env.funcs[base].parts.clone());
                if parts.as_ref().is_some_and(|parts| parts.varargs) {
                    return refused(
                        self,
                        "a weak alias of a function with variadic arguments is not supported",
                    );
                }
                let row = Func::new(name, row.result, row.params.clone(), Linkage::Declared);
                let row = env.funcs.push(Func {
                    variadic,
                    returns_by,
                    tail,
                    parts,
                    effect: Effect::ALL,
                    scope,
                    ..row
                });
                self.extended.push(self.extended[base].clone());
                (self.symbols[name], func) = (Symbol::Func(row), Opt::some(row));
            }
            if linkage != Linkage::Internal {
                self.module.env.aliases.push(Alias { name, weak, scope, of, offset, func });
            }
        }
        // Aliases that are resolved, when all have been followed.
        for (alias, end) in self.aliases.iter().zip(ends) {
            self.symbols[alias.name] = match end {
                Some((Symbol::Global(global), distance))
                    if distance != 0 && alias.linkage != Linkage::Weak =>
                {
                    self.places.push((global, distance));
                    Symbol::Place(self.places.len() as u32 - 1)
                }
                Some((end, _)) if alias.linkage != Linkage::Weak => end,
                _ => continue,
            };
        }
        Ok(())
    }
}
