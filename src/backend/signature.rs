//! What functions take and give, and how that travels: integers narrower than a register, results in memory, structs by value.

use super::error::{Error, ErrorKind};
use super::target::Target;
use crate::ir::types::MOST_ALIGN;
use crate::ir::{Group, Op, Parts, Type};

/// How an integer that is narrower than a register is made as wide as one on its way.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extension {
    /// With zeros: C's `bool`, `unsigned char`, `unsigned short`.
    Zero,
    /// With the sign: C's `signed char`, `short`.
    Sign,
}

type Extended = Option<Extension>;

/// What a function takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    params: Vec<(Type, Extended)>,
    /// Which parameters are passed by value: bytes and alignment.
    by_value: Vec<(usize, u32, u32)>,
    result: Option<(Type, Extended)>,
    variadic: bool,
    tail: bool,
    result_in_memory: bool,
}

/// A struct that is passed by value has at most so many bytes.
const MOST_BYTES: u32 = 1 << 15;

/// A value that is wider on its way than where it is used: by which operation, and what it is else.
pub(super) type Narrow = Option<(Op, Type)>;

/// How a parameter or result travels.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) narrow: Narrow,
    /// The parameter of the tables that it begins with.
    pub(super) first: u32,
    /// By value: so many words, bytes, and how these are aligned. 0 for all else.
    pub(super) words: u32,
    pub(super) bytes: u32,
    pub(super) align: u32,
}

/// A signature as the tables have it.
pub(super) struct Travelling {
    pub(super) params: Vec<Type>,
    pub(super) result: Type,
    pub(super) variadic: bool,
    pub(super) returns_by: bool,
    pub(super) tail: bool,
    pub(super) parts: Option<Box<Parts>>,
    /// Of the result and then of each parameter; empty if all is as it is.
    pub(super) ways: Vec<Way>,
}

impl Signature {
    /// Takes nothing and gives nothing.
    pub fn new() -> Signature {
        Signature::default()
    }

    /// Takes one more, behind the others.
    #[must_use]
    pub fn param(mut self, ty: Type) -> Signature {
        self.params.push((ty, None));
        self
    }

    /// Takes these, behind the others.
    #[must_use]
    pub fn params(mut self, types: &[Type]) -> Signature {
        self.params.extend(types.iter().map(|&ty| (ty, None)));
        self
    }

    /// Takes an i1, i8 or i16 more that travels as the C ABIs of RISC-V and ARMv7 want it, as wide as a register
    /// (LLVM's `zeroext`, `signext`; right on AArch64, too). In the body it is of its type. Of an i32 it says nothing.
    #[must_use]
    pub fn param_as(mut self, ty: Type, extension: Extension) -> Signature {
        self.params.push((ty, Some(extension)));
        self
    }

    /// Takes the address of memory of so many bytes whose contents are passed, as C passes large structs to functions for
    /// 32-bit ARM (LLVM's `byval`). In the body it is the address of a copy. Other machines pass the address of a copy that the
    /// caller makes, which is a ptr like others, and refuse this.
    #[must_use]
    pub fn param_by_value(mut self, bytes: u32, align: u32) -> Signature {
        self.by_value.push((self.params.len(), bytes, align));
        self.params.push((Type::Ptr, None));
        self
    }

    /// Gives one.
    #[must_use]
    pub fn result(mut self, ty: Type) -> Signature {
        self.result = Some((ty, None));
        self
    }

    /// Gives one that travels as wide as a register; as `param_as`.
    #[must_use]
    pub fn result_as(mut self, ty: Type, extension: Extension) -> Signature {
        self.result = Some((ty, Some(extension)));
        self
    }

    /// The first parameter is the address of memory where the result goes (C's structs, LLVM's `sret`), which the C ABI
    /// of AArch64 has a register for. There is no other result.
    #[must_use]
    pub fn result_in_memory(mut self) -> Signature {
        self.result_in_memory = true;
        self
    }

    /// Takes variadic arguments, as C's `printf`; a body reads them by `FunctionBuilder::va_arg`.
    #[must_use]
    pub fn variadic(mut self) -> Signature {
        self.variadic = true;
        self
    }

    /// Functions that take this, or anything else by this convention, may end by calls of each other
    /// (`FunctionBuilder::return_call`): LLVM's `tailcc`. All that is taken has to be in registers: eight integers and eight
    /// floats on RISC-V and AArch64, four words and sixteen singles on ARMv7. Others are `Unsupported` when code is made, and so
    /// are variadic ones at once.
    #[must_use]
    pub fn tail(mut self) -> Signature {
        self.tail = true;
        self
    }

    /// What the tables say of it, of a function that is `defined` here or elsewhere. `Misuse` if it has types that no argument
    /// can have, `Unsupported` if the machine passes nothing so.
    pub(super) fn travelling(&self, target: &Target, defined: bool) -> Result<Travelling, Error> {
        let mut params = Vec::with_capacity(self.params.len());
        let mut ways = Vec::with_capacity(self.params.len() + 1);
        let mut groups = Vec::new();
        let mut result = Type::Void;
        let mut of_result = Way::default();
        if let Some(given) = self.result {
            (result, of_result.narrow) = travels(given)?;
        }
        ways.push(of_result);
        let varargs = defined && self.variadic;
        if varargs {
            params.push(Type::Ptr);
        }
        let mut by_value = self.by_value.iter().peekable();
        for (k, &given) in self.params.iter().enumerate() {
            let first = params.len() as u32;
            if let Some(&(_, bytes, align)) = by_value.next_if(|row| row.0 == k) {
                let way = Way { first, ..words(target, bytes, align)? };
                groups.push(Group { first, count: way.words, align: align.clamp(4, 8), is_vector: false });
                params.extend((0..way.words).map(|_| Type::I32));
                ways.push(way);
            } else {
                let (ty, narrow) = travels(given)?;
                params.push(ty);
                ways.push(Way { narrow, first, ..Way::default() });
            }
            if params.len() >= usize::from(u16::MAX) {
                return Err(Error::misuse("a function has too many parameters"));
            }
        }
        let is_first = self.params.first() == Some(&(Type::Ptr, None))
            && self.by_value.first().is_none_or(|row| row.0 != 0);
        if self.result_in_memory && (!is_first || result != Type::Void) {
            return Err(Error::misuse(
                "for a result in memory, the first parameter has to be a ptr, and no result",
            ));
        }
        let is_plain = !varargs && groups.is_empty();
        if is_plain && ways.iter().all(|way| way.narrow.is_none()) {
            ways = Vec::new();
        }
        let parts = (!is_plain).then(|| Box::new(Parts { results: Vec::new(), groups, varargs }));
        let (variadic, returns_by, tail) = (self.variadic, self.result_in_memory, self.tail);
        if tail && variadic {
            let message = "variadic arguments by the convention of tail calls";
            return Err(Error::new(ErrorKind::Unsupported, message.to_string()));
        }
        Ok(Travelling { params, result, variadic, returns_by, tail, parts, ways })
    }
}

/// How memory travels by value.
fn words(target: &Target, bytes: u32, align: u32) -> Result<Way, Error> {
    if bytes == 0 || bytes > MOST_BYTES || !align.is_power_of_two() || align > MOST_ALIGN {
        return Err(Error::misuse(format!("{bytes} bytes, aligned to {align}, cannot be passed by value")));
    }
    if target.pointer_bytes() != 4 {
        let message = format!("{} passes nothing by value but in registers", target.name());
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    Ok(Way { words: bytes.div_ceil(4), bytes, align, ..Way::default() })
}

/// As what a parameter or result travels.
fn travels((ty, extension): (Type, Extended)) -> Result<(Type, Narrow), Error> {
    if ty.is_vector() || ty == Type::Void {
        return Err(Error::misuse(format!("{} cannot be passed", ty.name())));
    }
    let op = match extension {
        None => return Ok((ty, None)),
        Some(Extension::Zero) => Op::ZExt,
        Some(Extension::Sign) => Op::SExt,
    };
    match ty {
        Type::I1 | Type::I8 | Type::I16 => Ok((Type::I32, Some((op, ty)))),
        Type::I32 => Ok((ty, None)),
        _ => Err(Error::misuse(format!("{} cannot be extended on its way", ty.name()))),
    }
}
