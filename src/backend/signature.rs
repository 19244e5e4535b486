//! What functions take and give, and how that travels: integers narrower than a register, results in memory.

use super::error::Error;
use crate::ir::{Op, Type};

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
    result: Option<(Type, Extended)>,
    variadic: bool,
    result_in_memory: bool,
}

/// A value that is wider on its way than where it is used: by which operation, and what it is else.
pub(super) type Narrow = Option<(Op, Type)>;

/// A signature as the tables have it.
pub(super) struct Travelling {
    pub(super) params: Vec<Type>,
    pub(super) result: Type,
    pub(super) variadic: bool,
    pub(super) returns_by: bool,
    /// Of the result and then of each parameter; empty if all is as it is.
    pub(super) narrow: Vec<Narrow>,
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

    /// Takes any number of further arguments, as C's `printf`; only of functions that are imported or called by their
    /// address.
    #[must_use]
    pub fn variadic(mut self) -> Signature {
        self.variadic = true;
        self
    }

    /// What the tables say of it. `Misuse` if it has types that no argument can have.
    pub(super) fn travelling(&self) -> Result<Travelling, Error> {
        let mut params = Vec::with_capacity(self.params.len());
        let mut narrow = Vec::new();
        if self.params.len() >= usize::from(u16::MAX) {
            return Err(Error::misuse("a function has too many parameters"));
        }
        let mut result = Type::Void;
        if let Some(given) = self.result {
            let (ty, how) = travels(given)?;
            result = ty;
            narrow.push(how);
        } else {
            narrow.push(None);
        }
        for &given in &self.params {
            let (ty, how) = travels(given)?;
            params.push(ty);
            narrow.push(how);
        }
        if self.result_in_memory && (params.first() != Some(&Type::Ptr) || result != Type::Void) {
            return Err(Error::misuse(
                "for a result in memory, the first parameter has to be a ptr, and no result",
            ));
        }
        if narrow.iter().all(Option::is_none) {
            narrow = Vec::new();
        }
        let (variadic, returns_by) = (self.variadic, self.result_in_memory);
        Ok(Travelling { params, result, variadic, returns_by, narrow })
    }
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
