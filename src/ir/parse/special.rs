//! What linkers and start-up code know of: functions that run before main and behind it (`llvm.global_ctors`,
//! `llvm.global_dtors`), what has to stay (`llvm.used`, `llvm.compiler.used`), what need not be there (`extern_weak`), and
//! what each thread has its own of (`thread_local`).
//!
//! Functions around main are addresses in data of `.init_array` and `.fini_array`. What has to stay is external to passes and
//! local to linkers. The address of what need not be there stands in data, too, where every linker puts null in place of
//! it; code loads it from there, volatile: so nothing that knows addresses of globals not to be null has to know of it.
//! The address of thread-local data is what a builtin yields at the head of the function: a function is executed by one
//! thread. No other instruction names such data, and all that passes see is external. O(names).

use super::builder::Builder;
use super::layout::Mem;
use super::lexer::{Text, Token};
use super::{Parsed, Parser, Symbol, error_at};
use crate::base::Handle;
use crate::ir::{At, Builtin, Linkage, Op, Shape, Type, Value};

/// A function that runs before main, or behind it.
#[derive(Debug)]
pub(super) struct Around<'a> {
    section: String,
    func: Text<'a>,
    at: usize,
}

impl<'a> Parser<'a> {
    /// `@llvm.used = appending global [1 x ptr] [ptr @x], section "llvm.metadata"`, and its like.
    pub(super) fn appended(&mut self, name: Text<'a>) -> Parsed<()> {
        let is_list = match &*self.name_text(name)? {
            "llvm.used" | "llvm.compiler.used" => None,
            "llvm.global_ctors" => Some("init_array"),
            "llvm.global_dtors" => Some("fini_array"),
            _ => return self.error(format!("{} is not supported", self.found())),
        };
        self.advance()?;
        self.expect_word("global")?;
        self.memory_type()?;
        if !self.eat_word("zeroinitializer")? {
            self.expect(b'[')?;
            while !self.eat(b']')? {
                let mem = self.memory_type()?;
                match is_list {
                    None => {
                        let (text, at) = self.named_address()?;
                        self.used.extend(text.map(|text| (text, at)));
                    }
                    Some(kind) => self.around(kind, mem)?,
                }
                if !self.eat(b',')? {
                    self.expect(b']')?;
                    break;
                }
            }
        }
        while self.eat(b',')? {
            if self.token == Token::Word("section") {
                _ = self.section()?;
            } else {
                self.expect_word("align")?;
                self.alignment()?;
            }
        }
        Ok(())
    }

    /// `@x`, or null.
    fn named_address(&mut self) -> Parsed<(Option<Text<'a>>, usize)> {
        let at = self.start;
        let x = self.constant_of(Type::Ptr)?;
        match (x.base, x.less, x.offset) {
            (base, None, 0) => Ok((base, at)),
            _ => self.error_at(at, "this must be a function or a global"),
        }
    }

    /// `{ i32 65535, ptr @f, ptr null }`: when, which function, and with what it goes.
    fn around(&mut self, kind: &str, _: Mem) -> Parsed<()> {
        self.expect(b'{')?;
        self.expect_word("i32")?;
        let when = self.number()?;
        self.expect(b',')?;
        self.expect_word("ptr")?;
        let (func, at) = self.named_address()?;
        if self.eat(b',')? {
            // Data that other objects may have, too: what compilers make for these looks whether it has been done.
            self.expect_word("ptr")?;
            self.named_address()?;
        }
        self.expect(b'}')?;
        let Some(func) = func else { return Ok(()) };
        let section = match when {
            65535 => format!(".{kind}"),
            0..65535 => format!(".{kind}.{when:05}"),
            _ => return self.error_at(at, "a priority is at most 65535"),
        };
        self.around.push(Around { section, func, at });
        Ok(())
    }

    /// When all names are known.
    pub(super) fn settle_special(&mut self) -> Parsed<()> {
        for (text, at) in std::mem::take(&mut self.used) {
            let symbol = self.symbol(text)?;
            let env = &mut self.module.env;
            let (linkage, kept) = match symbol {
                Symbol::Func(func) => {
                    let row = &mut env.funcs[func];
                    (&mut row.linkage, &mut row.kept)
                }
                Symbol::Global(global) => {
                    let row = &mut env.globals[global];
                    (&mut row.linkage, &mut row.kept)
                }
                Symbol::Special(_) | Symbol::Alias(_) | Symbol::Place(_) => continue,
                Symbol::None => return Err(error_at(self.lexer.text, at, "this is not defined")),
            };
            if *linkage == Linkage::Internal {
                (*linkage, *kept) = (Linkage::External, true);
            }
        }
        for Around { section, func, at } in std::mem::take(&mut self.around) {
            let Symbol::Func(func) = self.symbol(func)? else {
                return Err(error_at(self.lexer.text, at, "this is no function"));
            };
            let to = self.module.env.address_of(func);
            let section = self.module.env.names.intern(&section);
            let global = self.module.env.hidden("around", to, false);
            let row = &mut self.module.env.globals[global];
            (row.linkage, row.kept, row.section) = (Linkage::External, true, Some(section).into());
        }
        self.symbols.grow_to(self.module.env.names.len(), Symbol::None);
        Ok(())
    }

    /// Data that hold the addresses of what need not be there: those that the text has of its own from us, or new ones.
    pub(super) fn settle_holders(&mut self) {
        self.holders = self.module.env.holders();
        self.symbols.grow_to(self.module.env.names.len(), Symbol::None);
    }

    /// The address of a global or function as an operand: of what need not be there it is loaded, where the function
    /// begins, and of what is thread-local asked for.
    pub(super) fn address_value(&mut self, b: &mut Builder, text: Text<'a>, at: usize) -> Parsed<Value> {
        if let Symbol::Place(number) = self.symbol(text)? {
            let (global, distance) = self.places[number as usize];
            let Some(entry) = b.f.entry() else { return self.expected("a block") };
            let args = [Value::global(global), super::layout::offset(b, distance)];
            let shape = self.leaving(Shape::scalar(Type::I8), true).index() as u32;
            let i = b.f.insert(At::Start(entry), Op::ElemAddr, Type::Ptr, &args, shape, b.place());
            return Ok(Value::inst(i));
        }
        let global = self.address_of(text, at)?;
        let row = &self.module.env.globals[global];
        let (optional, thread) = (row.optional, row.thread);
        if !optional && !thread {
            return Ok(Value::global(global));
        }
        if let Some(&known) = b.special.get(&global) {
            return Ok(Value::inst(known));
        }
        let Some(entry) = b.f.entry() else { return self.expected("a block") };
        let holder = self.holders.get(&global).copied();
        let (op, of, payload) = match holder.filter(|_| optional) {
            Some(holder) => (Op::LoadVolatile, holder, 0),
            None => {
                let func = self.builtin(Builtin::ThreadAddress, Type::Ptr, &[Type::Ptr], "")?;
                (Op::Call, global, func.index() as u32)
            }
        };
        // In the order of their first uses.
        let at = b.last_special.map_or(At::Start(entry), At::After);
        let inst = b.f.insert(at, op, Type::Ptr, &[Value::global(of)], payload, b.place());
        b.special.insert(global, inst);
        b.last_special = Some(inst);
        Ok(Value::inst(inst))
    }
}
