//! Variables without a value (`-fsanitize=memory`): beside each number that is declared without one there is a word that
//! says whether it has been given one since. It is 0 where the declaration stands, 1 behind each assignment, and looked at
//! where the variable is read. What is proven to have a value keeps no word: mem2reg makes a value of it, and branches on
//! constants go. Elements of arrays have a byte each (`elements`). O(1) for each variable, assignment and reading.
//!
//! A function that ends without `return` leaves a 0 in `sysy.returned`, which its caller looks at if it wants the result, and
//! else makes 1 again, as it is everywhere else. Only functions that nothing outside of the source calls do so.

use super::Fault;
use crate::base::Handle;
use crate::ir::{FuncId, Inst, IntPred, Linkage, Op, Shape, Type, Value};
use crate::lower::expression::Slot;
use crate::lower::function::Lowering;
use crate::sema::{Sym, SymbolKind};
use crate::syntax::tree::NodeKind;

/// Where it says whether there is a value at an address.
#[derive(Copy, Clone, Debug)]
pub(super) struct Word {
    /// The variable, or the array.
    pub(super) sym: Sym,
    /// A word of an int, a byte of an element's shadow.
    pub(super) ty: Type,
    pub(super) at: Value,
    /// Of an element, its first subscripts.
    pub(super) shown: [Value; 2],
}

impl Lowering<'_> {
    /// A variable is declared without a value.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_declared(&mut self, sym: Sym) {
        let symbol = self.input.sema.row(sym);
        if symbol.kind != SymbolKind::LocalVar {
            return;
        }
        let Some(address) = self.scratch.addresses[sym].as_inst() else { return };
        if symbol.ty.is_array() {
            return self.note_array(sym, address);
        }
        let zero = self.body.int(0);
        let at = match self.word(Value::inst(address)) {
            Some(word) => word.at,
            None => {
                let at = Value::inst(self.body.insert_room(Shape::scalar(Type::I32).index() as u32));
                self.watch(address, Word { sym, ty: Type::I32, at, shown: [zero, zero] });
                at
            }
        };
        self.store(zero, at);
    }

    /// Notes where it says whether there is a value at an address.
    pub(super) fn watch(&mut self, address: Inst, word: Word) {
        let texts = &mut self.scratch.texts;
        texts.words.grow_to(address.index() + 1, None);
        texts.words[address] = Some(word);
        texts.watched.push(address);
    }

    fn word(&self, address: Value) -> Option<Word> {
        self.scratch.texts.words.get(address.as_inst()?).copied().flatten()
    }

    /// What stands at an address has a value now.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_given(&mut self, address: Value) {
        if let Some(Word { ty, at, .. }) = self.word(address) {
            let one = self.body.int_of(ty, 1);
            self.store(one, at);
        }
    }

    /// What stands at an address is read.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_value(&mut self, address: Value) {
        if let Some(Word { sym, ty, at, shown }) = self.word(address) {
            self.check_given((ty, at), Fault::Value(sym), shown);
        }
    }

    /// Goes on if what says so says that there is a value.
    pub(super) fn check_given(&mut self, (ty, at): (Type, Value), fault: Fault, shown: [Value; 2]) {
        let mut given = self.emit(Op::Load, ty, [at], 0);
        if ty != Type::I32 {
            given = self.emit(Op::ZExt, Type::I32, [given], 0);
        }
        let zero = self.body.int(0);
        let fails = self.emit(Op::ICmp, Type::I1, [given, zero], IntPred::Eq as u32);
        self.stop_if(fails, fault, shown);
    }

    /// The target of the assignment whose value is on top of the stack.
    pub(in crate::lower) fn target(&self) -> Option<Value> {
        match self.scratch.stack.iter().rev().nth(1) {
            Some(&Slot::Target(address, _)) => Some(address),
            _ => None,
        }
    }

    // ---- Results ------------------------------------------------------------------------------------------

    /// Where a function says that it ended without a result, if it does.
    fn returned(&self, func: FuncId) -> Option<Value> {
        let row = &self.env.funcs[func];
        let says = row.linkage == Linkage::Internal && matches!(row.result, Type::I32 | Type::F32);
        self.links.faults.as_ref()?.returned.filter(|_| says).map(Value::global)
    }

    /// The function ends without `return`.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_no_result(&mut self) {
        if let Some(returned) = self.returned(self.body.func) {
            let zero = self.body.int(0);
            self.store(zero, returned);
        }
    }

    /// A function has been called: has it a result, if one is wanted?
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_result_of(&mut self, callee: Sym) {
        let Some(returned) = self.returned(self.links.func(callee)) else { return };
        let mut behind = self.input.tree.kind.as_slice()[self.row.index() + 1..].iter();
        if behind.find(|&&kind| kind != NodeKind::Paren) == Some(&NodeKind::ExprStmt) {
            let one = self.body.int(1);
            self.store(one, returned);
        } else {
            let zero = self.body.int(0);
            self.check_given((Type::I32, returned), Fault::Result(callee), [zero, zero]);
        }
    }
}
