//! Variables without a value (`-fsanitize=memory`): beside each number that is declared without one there is a word that
//! says whether it has been given one since. It is 0 where the declaration stands, 1 behind each assignment, and looked at
//! where the variable is read. What is proven to have a value keeps no word: mem2reg makes a value of it, and branches on
//! constants go. Elements of arrays are not followed. O(1) for each variable, assignment and reading.

use super::Fault;
use crate::base::Handle;
use crate::ir::{IntPred, Op, Shape, Type, Value};
use crate::lower::expression::Slot;
use crate::lower::function::Lowering;
use crate::sema::{Sym, SymbolKind};

impl Lowering<'_> {
    /// A number is declared without a value.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_declared(&mut self, sym: Sym) {
        let symbol = self.input.sema.row(sym);
        if symbol.kind != SymbolKind::LocalVar || symbol.ty.is_array() {
            return;
        }
        let Some(address) = self.scratch.addresses[sym].as_inst() else { return };
        let known = self.scratch.texts.words.get(address).copied().flatten();
        let word = match known {
            Some((_, word)) => word,
            None => {
                let word = Value::inst(self.body.insert_room(Shape::scalar(Type::I32).index() as u32));
                let texts = &mut self.scratch.texts;
                texts.words.grow_to(address.index() + 1, None);
                texts.words[address] = Some((sym, word));
                texts.watched.push(address);
                word
            }
        };
        let zero = self.body.int(0);
        self.store(zero, word);
    }

    /// What stands at an address has a value now.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_given(&mut self, address: Value) {
        let word =
            address.as_inst().and_then(|address| self.scratch.texts.words.get(address).copied().flatten());
        if let Some((_, word)) = word {
            let one = self.body.int(1);
            self.store(one, word);
        }
    }

    /// What stands at an address is read.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_value(&mut self, address: Value) {
        let word =
            address.as_inst().and_then(|address| self.scratch.texts.words.get(address).copied().flatten());
        if let Some((sym, word)) = word {
            let given = self.emit(Op::Load, Type::I32, [word], 0);
            let zero = self.body.int(0);
            let fails = self.emit(Op::ICmp, Type::I1, [given, zero], IntPred::Eq as u32);
            self.stop_if(fails, Fault::Value(sym), [zero, zero]);
        }
    }

    /// The target of the assignment whose value is on top of the stack.
    pub(in crate::lower) fn target(&self) -> Option<Value> {
        match self.scratch.stack.iter().rev().nth(1) {
            Some(&Slot::Target(address, _)) => Some(address),
            _ => None,
        }
    }
}
