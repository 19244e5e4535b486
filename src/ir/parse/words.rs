//! What words mean: one lookup where a list would be searched for each word of each instruction (of 10,300 instructions an
//! IR instruction that reading text took, 2,600 were spent in such lists).

use super::attribute::OTHERS;
use super::keywords::{APART, KEYWORDS, Keyword, Places};
use crate::base::{Column, Interner, Name};
use crate::ir::opcode::{Form, Types};
use crate::ir::{Flags, Op, Type};
use std::sync::LazyLock;

/// A function of LLVM's whose calls are read as lines.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// It says something to LLVM's optimiser only.
    Hint,
    /// An opcode on operands of one type, which it yields.
    Op(Op, Type),
    /// A product and a sum.
    MulAdd(Type),
    /// Sets or copies memory, from a byte or an address.
    Memory(Type),
}

/// What a word can mean, by what stands before it.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Meaning {
    /// The opcode of an instruction of a family: of one type, or a conversion.
    pub(super) op: Option<Op>,
    /// A type of the tables.
    pub(super) ty: Option<Type>,
    /// Between opcode and type: what it promises, which may be nothing that is kept, and which opcodes may have it.
    pub(super) flag: Option<(Flags, Places)>,
    /// The row of a keyword.
    pub(super) row: Option<&'static Keyword>,
    /// A keyword's bit, and those of what it cannot stand with (`keywords::APART`).
    pub(super) apart: [u32; 2],
    /// It ends attributes.
    pub(super) ends: bool,
    /// The function of this name.
    pub(super) called: Option<Called>,
}

struct Words {
    names: Interner,
    meanings: Column<Name, Meaning>,
}

impl Words {
    fn of(&mut self, word: &str) -> &mut Meaning {
        let name = self.names.intern(word);
        self.meanings.grow_to(self.names.len(), Meaning::default());
        &mut self.meanings[name]
    }
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words { names: Interner::default(), meanings: Column::new() };
    for &op in Op::ALL.iter().filter(|op| matches!(op.row().form, Form::Plain | Form::Cast)) {
        words.of(op.row().name).op = Some(op);
    }
    for ty in Type::ALL {
        words.of(ty.name()).ty = Some(ty);
    }
    for &op in Op::ALL.iter().filter(|op| matches!(op.row().form, Form::Intrinsic(_))) {
        let row = op.row();
        let takes = |ty: Type| match row.types {
            Types::Int => ty.is_int() && ty != Type::I1,
            Types::Bytes => ty.is_int() && ty.bytes() > 1,
            Types::Float => ty.is_float(),
            _ => false,
        };
        // Not every machine has those of three operands.
        for ty in Type::ALL.into_iter().filter(|&ty| takes(ty) && row.operands <= 2) {
            words.of(&format!("{}.{}", row.name, ty.code())).called = Some(Called::Op(op, ty));
        }
    }
    for ty in [Type::F32, Type::F64] {
        words.of(&format!("llvm.fmuladd.{}", ty.code())).called = Some(Called::MulAdd(ty));
    }
    for name in ["llvm.lifetime.start.p0", "llvm.lifetime.end.p0"] {
        words.of(name).called = Some(Called::Hint);
    }
    for length in ["i32", "i64"] {
        words.of(&format!("llvm.memset.p0.{length}")).called = Some(Called::Memory(Type::I8));
        words.of(&format!("llvm.memcpy.p0.p0.{length}")).called = Some(Called::Memory(Type::Ptr));
    }
    OTHERS.iter().for_each(|word| words.of(word).ends = true);
    for row in KEYWORDS {
        let meaning = words.of(row.word);
        meaning.row = Some(row);
        if row.at.meet(Places::flags()) {
            meaning.flag = Some((Flags::NONE, row.at));
        }
    }
    for (k, &(a, b)) in APART.iter().enumerate() {
        for (word, own, other) in [(a, 1, 2), (b, 2, 1)] {
            let [seen, not] = &mut words.of(word).apart;
            *seen |= own << (2 * k);
            *not |= other << (2 * k);
        }
    }
    for (name, flag) in Flags::NAMES.into_iter().chain([("fast", Flags::FAST)]) {
        let meaning = words.of(name);
        meaning.flag = meaning.flag.map(|(_, at)| (flag, at));
    }
    words
});

/// What a word can mean.
pub(super) fn meaning(word: &str) -> Meaning {
    let words = &*WORDS;
    words.names.find(word).map_or_else(Meaning::default, |name| words.meanings[name])
}
