//! Types, constants and the class of a node, all in a word or less.
//!
//! An array type is not interned: it names a row of the dimension table, and the rows of one declarator stand
//! one behind the other, so stripping a dimension is `+ 1` and needs no table at all. Equality of two array
//! types is a comparison of their rows, and is asked for at arguments only.

use super::symbol::Sym;
use crate::base::Handle;

crate::handle! {
    /// A dimension of a declared array: a row of `Sema::dims`.
    pub struct Dim("d");
}

/// One dimension. The next row, if `rank > 1`, is the next inner dimension of the same array.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DimRow {
    /// Its length; 0 is the open first dimension of a parameter.
    pub extent: u32,
    /// Dimensions from this one on, itself included; 0 of a tensor that a function returns, while its shape is
    /// not known.
    pub rank: u32,
    /// Elements that one step of this dimension's subscript passes over: the product of the inner lengths.
    pub stride: u32,
    /// The array is a tensor: with operators for all of its elements.
    pub is_tensor: bool,
}

impl DimRow {
    /// Elements of the whole array from this dimension on; 0 if it is open.
    pub fn elements(self) -> u32 {
        self.extent * self.stride
    }
}

/// A type that values in registers have. Both are 4 bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// 32-bit two's complement.
    Int,
    /// IEEE binary32.
    Float,
}

impl Scalar {
    /// The keyword.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Int => "int",
            Scalar::Float => "float",
        }
    }
}

/// A type in four bytes.
///
/// ```text
///   31 30 29 ............................. 0
///   0  0  error 0, void 1, int 2, float 3, text 4
///   0  1  Dim: array of int (or pointer to its rows, where the dimension is open)
///   1  0  Dim: array of float
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Ty(u32);

/// A type taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TyView {
    /// What had an error; agrees with everything, silently.
    Error,
    /// No value.
    Void,
    /// `int` or `float`.
    Scalar(Scalar),
    /// The format of `putf`.
    Text,
    /// An array from this dimension on.
    Array(Scalar, Dim),
}

const ARRAY: u32 = 1 << 30;
const PAYLOAD: u32 = ARRAY - 1;

impl Ty {
    /// What had an error.
    pub const ERROR: Ty = Ty(0);
    /// No value.
    pub const VOID: Ty = Ty(1);
    /// `int`.
    pub const INT: Ty = Ty(2);
    /// `float`.
    pub const FLOAT: Ty = Ty(3);
    /// A string literal.
    pub const TEXT: Ty = Ty(4);
    /// An array of int as a parameter of the runtime library, whose one dimension is open: `Dim` 0.
    pub const OPEN_INTS: Ty = Ty(ARRAY);
    /// An array of float likewise.
    pub const OPEN_FLOATS: Ty = Ty(2 * ARRAY);

    /// `int` or `float`.
    pub fn scalar(scalar: Scalar) -> Ty {
        if scalar == Scalar::Int { Ty::INT } else { Ty::FLOAT }
    }

    /// The array of `element` whose outermost dimension is `dim`. A file of 2 GiB has fewer than 2^30
    /// dimensions.
    pub fn array(element: Scalar, dim: Dim) -> Ty {
        debug_assert!(dim.index() < ARRAY as usize);
        Ty(((element as u32 + 1) * ARRAY) | dim.index() as u32)
    }

    /// The type taken apart.
    pub fn view(self) -> TyView {
        match (self.0 >> 30, self.0) {
            (1, _) => TyView::Array(Scalar::Int, Dim::new((self.0 & PAYLOAD) as usize)),
            (2, _) => TyView::Array(Scalar::Float, Dim::new((self.0 & PAYLOAD) as usize)),
            (_, 1) => TyView::Void,
            (_, 2) => TyView::Scalar(Scalar::Int),
            (_, 3) => TyView::Scalar(Scalar::Float),
            (_, 4) => TyView::Text,
            _ => TyView::Error,
        }
    }

    /// `int` or `float` if it is one.
    pub fn as_scalar(self) -> Option<Scalar> {
        match self.view() {
            TyView::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The outermost dimension if it is an array.
    pub fn dim(self) -> Option<Dim> {
        match self.view() {
            TyView::Array(_, dim) => Some(dim),
            _ => None,
        }
    }

    /// The scalar itself, or the element of an array.
    pub fn element(self) -> Option<Scalar> {
        match self.view() {
            TyView::Scalar(scalar) | TyView::Array(scalar, _) => Some(scalar),
            _ => None,
        }
    }

    /// True if it is an array.
    pub fn is_array(self) -> bool {
        self.dim().is_some()
    }
}

impl std::fmt::Debug for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.view().fmt(f)
    }
}

/// A type as it is written: `int`, `float[2][3]`, `int[][4]`, `tensor int[2][3]`; with `...` for what is beyond the 24th
/// dimension.
pub fn type_name(ty: Ty, row: impl Fn(Dim) -> DimRow) -> String {
    match ty.view() {
        TyView::Error => "?".to_string(),
        TyView::Void => "void".to_string(),
        TyView::Text => "string".to_string(),
        TyView::Scalar(scalar) => scalar.name().to_string(),
        TyView::Array(scalar, dim) => {
            let mut text = if row(dim).is_tensor { "tensor ".to_string() } else { String::new() };
            text.push_str(scalar.name());
            const SHOWN: usize = 24;
            let rank = row(dim).rank as usize;
            for k in 0..rank.min(SHOWN) {
                match row(Dim::new(dim.index() + k)).extent {
                    0 => text.push_str("[]"),
                    extent => text.push_str(&format!("[{extent}]")),
                }
            }
            if rank > SHOWN {
                text.push_str("...");
            }
            text
        }
    }
}

/// A known value. Floats are binary32 at every step.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Const {
    /// An `int`.
    Int(i32),
    /// A `float`.
    Float(f32),
}

impl Const {
    /// The value of type `scalar` with these bits.
    pub fn from_bits(scalar: Scalar, bits: u32) -> Const {
        match scalar {
            Scalar::Int => Const::Int(bits as i32),
            Scalar::Float => Const::Float(f32::from_bits(bits)),
        }
    }

    /// The 32 bits that stand for it in memory.
    pub fn bits(self) -> u32 {
        match self {
            Const::Int(value) => value as u32,
            Const::Float(value) => value.to_bits(),
        }
    }

    /// Its type.
    pub fn scalar(self) -> Scalar {
        match self {
            Const::Int(_) => Scalar::Int,
            Const::Float(_) => Scalar::Float,
        }
    }

    /// True unless it equals zero (so NaN is true, and -0.0 is not).
    pub fn is_true(self) -> bool {
        match self {
            Const::Int(value) => value != 0,
            Const::Float(value) => value != 0.0,
        }
    }

    /// The value converted as C converts. Float to int truncates; out of range it saturates and NaN gives 0,
    /// which is what AArch64 and ARMv7 do at run time (C leaves it undefined; RISC-V differs for NaN alone,
    /// with 2^31 - 1).
    pub fn to(self, scalar: Scalar) -> Const {
        match (self, scalar) {
            (Const::Float(value), Scalar::Int) => Const::Int(value as i32),
            (Const::Int(value), Scalar::Float) => Const::Float(value as f32),
            _ => self,
        }
    }
}

/// What is known of a node, in one byte; `Sema::data` holds what it says here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Nothing: neither an expression nor a name.
    None,
    /// An expression that had an error.
    Error,
    /// A call that returns nothing.
    Void,
    /// An int.
    Int,
    /// A float.
    Float,
    /// A known int; data: the value.
    ConstInt,
    /// A known float; data: its bits.
    ConstFloat,
    /// An int array that decays; data: its outermost `Dim`.
    IntArray,
    /// A float array that decays; data: its outermost `Dim`.
    FloatArray,
    /// A name; data: the `Sym`, which has type and value.
    Symbol,
    /// The name of an int variable where its value is used, or set; data: the `Sym`.
    IntVariable,
    /// The name of a float variable likewise.
    FloatVariable,
    /// A string literal.
    Text,
    /// The name of a tensor whose elements are an operand, or are copied; data: the `Sym`.
    Tensor,
}

/// `shape` of what is an int.
pub(super) const INT: u8 = 1;
/// Of what is a float.
pub(super) const FLOAT: u8 = 2;
/// Of a number that the node itself has.
pub(super) const KNOWN: u8 = 4;

impl Class {
    /// The most frequent kinds of values in bits that can be combined; 0 for all others (a constant's name,
    /// an array).
    #[inline(always)]
    pub(super) fn shape(self) -> u8 {
        static SHAPES: [u8; 16] = {
            let mut shapes = [0; 16];
            shapes[Class::Int as usize] = INT;
            shapes[Class::IntVariable as usize] = INT;
            shapes[Class::Float as usize] = FLOAT;
            shapes[Class::FloatVariable as usize] = FLOAT;
            shapes[Class::ConstInt as usize] = INT | KNOWN;
            shapes[Class::ConstFloat as usize] = FLOAT | KNOWN;
            shapes
        };
        SHAPES[self as usize & 15]
    }

    /// True of a number that may become an int or a float without a word: all but known floats.
    #[inline(always)]
    pub(super) fn fits_any_scalar(self) -> bool {
        self.shape() != 0 && self.shape() != FLOAT | KNOWN
    }

    /// The type of a node of this class with these data; `of_symbol` knows that of a symbol.
    #[inline(always)]
    pub(super) fn ty(self, data: u32, of_symbol: impl FnOnce(Sym) -> Ty) -> Ty {
        match self {
            Class::None | Class::Error => Ty::ERROR,
            Class::Void => Ty::VOID,
            Class::Int | Class::ConstInt | Class::IntVariable => Ty::INT,
            Class::Float | Class::ConstFloat | Class::FloatVariable => Ty::FLOAT,
            Class::IntArray => Ty::array(Scalar::Int, Dim::new(data as usize)),
            Class::FloatArray => Ty::array(Scalar::Float, Dim::new(data as usize)),
            Class::Symbol | Class::Tensor => of_symbol(Sym::new(data as usize)),
            Class::Text => Ty::TEXT,
        }
    }

    /// The value of a node likewise, if it is constant; `data` is asked for only then.
    #[inline(always)]
    pub(super) fn constant(
        self,
        data: impl FnOnce() -> u32,
        of_symbol: impl FnOnce(Sym) -> Option<Const>,
    ) -> Option<Const> {
        match self {
            Class::ConstInt => Some(Const::Int(data() as i32)),
            Class::ConstFloat => Some(Const::Float(f32::from_bits(data()))),
            Class::Symbol => of_symbol(Sym::new(data() as usize)),
            _ => None,
        }
    }

    /// True if the node's data are a symbol.
    #[inline(always)]
    pub fn is_symbol(self) -> bool {
        matches!(self, Class::Symbol | Class::IntVariable | Class::FloatVariable | Class::Tensor)
    }
}
