//! Types of values, and shapes of memory.
//!
//! A value has a `Type`, a scalar or a vector (pointers are opaque, as in LLVM 15 and later). Memory has a
//! `Shape`: a scalar or a row-major array of scalars, interned so that equal shapes are equal handles. How
//! large a pointer is, and what alignment was asked for beyond what the size gives, are facts of shapes,
//! too.

use crate::base::intern::DenseMap;
use crate::base::{Handle, SharedColumn};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The type of a value: a scalar, or a vector of 2 to 16 lanes of one scalar, of at most 64 bytes.
///
/// ```text
///   7   6    4 3       0
///  +---+------+---------+
///  | 0 | log2 | element |
///  |   |lanes | number  |
///  +---+------+---------+
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Type {
    Void,
    I1,
    I8,
    I32,
    I64,
    F32,
    F64,
    Ptr,
    I16,
    I1x2 = 1 | 1 << 4,
    I8x2 = 2 | 1 << 4,
    I32x2 = 3 | 1 << 4,
    I64x2 = 4 | 1 << 4,
    F32x2 = 5 | 1 << 4,
    F64x2 = 6 | 1 << 4,
    I1x4 = 1 | 2 << 4,
    I8x4 = 2 | 2 << 4,
    I32x4 = 3 | 2 << 4,
    I64x4 = 4 | 2 << 4,
    F32x4 = 5 | 2 << 4,
    F64x4 = 6 | 2 << 4,
    I1x8 = 1 | 3 << 4,
    I8x8 = 2 | 3 << 4,
    I32x8 = 3 | 3 << 4,
    I64x8 = 4 | 3 << 4,
    F32x8 = 5 | 3 << 4,
    F64x8 = 6 | 3 << 4,
    I1x16 = 1 | 4 << 4,
    I8x16 = 2 | 4 << 4,
    I32x16 = 3 | 4 << 4,
    F32x16 = 5 | 4 << 4,
}

/// Facts about a type, by number.
#[derive(Copy, Clone)]
struct TypeRow {
    ty: Type,
    name: &'static str,
    code: &'static str,
    bytes: u8,
    int_bits: u8,
}

const fn scalar(ty: Type, name: &'static str, code: &'static str, bytes: u8, int_bits: u8) -> TypeRow {
    TypeRow { ty, name, code, bytes, int_bits }
}

const fn vector(ty: Type, name: &'static str, code: &'static str, bytes: u8) -> TypeRow {
    TypeRow { ty, name, code, bytes, int_bits: 0 }
}

/// All types. Vectors of i1 are not in memory.
const ROWS: [TypeRow; 31] = [
    scalar(Type::Void, "void", "isVoid", 0, 0),
    scalar(Type::I1, "i1", "i1", 1, 1),
    scalar(Type::I8, "i8", "i8", 1, 8),
    scalar(Type::I32, "i32", "i32", 4, 32),
    scalar(Type::I64, "i64", "i64", 8, 64),
    scalar(Type::F32, "float", "f32", 4, 0),
    scalar(Type::F64, "double", "f64", 8, 0),
    scalar(Type::Ptr, "ptr", "p0", 8, 0),
    scalar(Type::I16, "i16", "i16", 2, 16),
    vector(Type::I1x2, "<2 x i1>", "v2i1", 2),
    vector(Type::I8x2, "<2 x i8>", "v2i8", 2),
    vector(Type::I32x2, "<2 x i32>", "v2i32", 8),
    vector(Type::I64x2, "<2 x i64>", "v2i64", 16),
    vector(Type::F32x2, "<2 x float>", "v2f32", 8),
    vector(Type::F64x2, "<2 x double>", "v2f64", 16),
    vector(Type::I1x4, "<4 x i1>", "v4i1", 4),
    vector(Type::I8x4, "<4 x i8>", "v4i8", 4),
    vector(Type::I32x4, "<4 x i32>", "v4i32", 16),
    vector(Type::I64x4, "<4 x i64>", "v4i64", 32),
    vector(Type::F32x4, "<4 x float>", "v4f32", 16),
    vector(Type::F64x4, "<4 x double>", "v4f64", 32),
    vector(Type::I1x8, "<8 x i1>", "v8i1", 8),
    vector(Type::I8x8, "<8 x i8>", "v8i8", 8),
    vector(Type::I32x8, "<8 x i32>", "v8i32", 32),
    vector(Type::I64x8, "<8 x i64>", "v8i64", 64),
    vector(Type::F32x8, "<8 x float>", "v8f32", 32),
    vector(Type::F64x8, "<8 x double>", "v8f64", 64),
    vector(Type::I1x16, "<16 x i1>", "v16i1", 16),
    vector(Type::I8x16, "<16 x i8>", "v16i8", 16),
    vector(Type::I32x16, "<16 x i32>", "v16i32", 64),
    vector(Type::F32x16, "<16 x float>", "v16f32", 64),
];

/// The rows by number; no type is void.
static TYPES: [TypeRow; 72] = {
    let mut table = [ROWS[0]; 72];
    let mut k = 0;
    while k < ROWS.len() {
        table[ROWS[k].ty as usize] = ROWS[k];
        k += 1;
    }
    table
};

/// The types by number.
static KNOWN: [Option<Type>; 128] = {
    let mut table = [None; 128];
    let mut k = 0;
    while k < ROWS.len() {
        table[ROWS[k].ty as usize] = Some(ROWS[k].ty);
        k += 1;
    }
    table
};

impl Type {
    /// All scalars, in number order.
    #[rustfmt::skip]
    pub const ALL: [Type; 9] =
        [Type::Void, Type::I1, Type::I8, Type::I32, Type::I64, Type::F32, Type::F64, Type::Ptr, Type::I16];

    /// The length of tables by scalar number.
    pub(crate) const NUMBERS: usize = 16;

    /// The scalars by number; void where there is none.
    pub(crate) const SCALARS: [Type; Type::NUMBERS] = {
        let mut table = [Type::Void; Type::NUMBERS];
        let mut k = 0;
        while k < Type::ALL.len() {
            table[k] = Type::ALL[k];
            k += 1;
        }
        table
    };

    /// Scalars and vectors.
    pub(crate) fn every() -> impl Iterator<Item = Type> {
        ROWS.iter().map(|row| row.ty)
    }

    /// The type of this number, if there is one.
    #[inline(always)]
    pub(crate) fn known(number: u32) -> Option<Type> {
        *KNOWN.get(number as usize)?
    }

    /// The type of this number; void if there is none.
    pub(crate) fn from_number(number: u32) -> Type {
        TYPES.get(number as usize).map_or(Type::Void, |row| row.ty)
    }

    /// A number below 64, for where there are six bits: `of_packed` has it back.
    #[inline(always)]
    pub(crate) const fn packed(self) -> u16 {
        self.scalar_number() as u16 + Type::ALL.len() as u16 * (self as u16 >> 4)
    }

    /// The type with this packed number, if there is one.
    #[inline(always)]
    pub(crate) fn of_packed(number: u32) -> Option<Type> {
        let scalars = Type::ALL.len() as u32;
        Type::known((number % scalars) | ((number / scalars) << 4))
    }

    /// So many lanes of a scalar (1: the scalar itself), if there is such a type.
    pub(crate) fn lanes_of(element: Type, lanes: u32) -> Option<Type> {
        if element.is_vector() || !lanes.is_power_of_two() || lanes > 16 {
            return None;
        }
        let ty = Type::from_number(element as u32 | lanes.trailing_zeros() << 4);
        (ty.lanes() == lanes && ty.element() == element).then_some(ty)
    }

    /// As many lanes of another scalar, if there is such a type.
    #[doc(hidden)]
    pub fn of_element(self, element: Type) -> Option<Type> {
        Type::lanes_of(element, self.lanes())
    }

    /// The number of the scalar, or of what the lanes are: where a table has scalars only.
    #[inline(always)]
    pub(crate) const fn scalar_number(self) -> usize {
        self as usize & (Type::NUMBERS - 1)
    }

    /// Where tables by type that are about registers have a row: the number of a scalar; one for all vectors.
    #[inline(always)]
    pub(crate) const fn register_number(self) -> usize {
        if self.is_vector() { Type::VECTOR } else { self as usize }
    }

    /// The row of vectors in tables by `register_number`.
    pub(crate) const VECTOR: usize = Type::ALL.len();

    /// What the lanes of a vector are; a scalar itself.
    #[inline(always)]
    pub const fn element(self) -> Type {
        Type::SCALARS[self.scalar_number()]
    }

    /// Lanes of a vector; 1 of a scalar.
    #[inline(always)]
    pub const fn lanes(self) -> u32 {
        1 << (self as u8 >> 4)
    }

    /// True for a vector.
    #[inline(always)]
    pub const fn is_vector(self) -> bool {
        self as usize >= Type::NUMBERS
    }

    /// The name in LLVM's text form.
    pub fn name(self) -> &'static str {
        TYPES[self as usize].name
    }

    /// What the names of LLVM's intrinsics have of it: `f32`.
    #[doc(hidden)]
    pub fn code(self) -> &'static str {
        TYPES[self as usize].code
    }

    /// Bytes in memory. Pointers count 8; where they may be smaller, `Shapes` knows.
    pub fn bytes(self) -> u32 {
        u32::from(TYPES[self as usize].bytes)
    }

    /// Width in bits of an integer type, 0 of any other, vectors included.
    pub fn int_bits(self) -> u32 {
        u32::from(TYPES[self as usize].int_bits)
    }

    /// True for i1, i8, i16, i32 and i64, not for vectors of them.
    pub fn is_int(self) -> bool {
        self.int_bits() != 0
    }

    /// True for an integer of less than 32 bits.
    #[inline]
    pub(crate) fn is_narrow(self) -> bool {
        matches!(self.int_bits(), 1..32)
    }

    /// True for float and double, not for vectors of them.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }
}

crate::handle! {
    /// An interned shape of memory. The first handles are the scalars, in the order of `Type::ALL`.
    pub struct Shape("s");
}

/// The largest alignment that can be asked for.
pub const MOST_ALIGN: u32 = 1 << 16;

impl Shape {
    /// The shape of one scalar.
    pub fn scalar(ty: Type) -> Shape {
        debug_assert!(!ty.is_vector());
        Shape::new(ty as usize)
    }
}

#[derive(Copy, Clone, Debug)]
struct ShapeRow {
    /// The shape of one element; a scalar's own handle for a scalar.
    element: Shape,
    /// Elements of an array; 1 for a scalar.
    length: u32,
    /// The scalar at the bottom.
    scalar: Type,
    /// Bytes of the whole.
    bytes: u64,
    /// Array levels: 0 for a scalar.
    depth: u32,
    /// The alignment that was asked for, in bytes; 0 for none.
    align: u32,
    /// Steps over it may leave the object and come back.
    may_leave: bool,
}

impl ShapeRow {
    fn scalar(ty: Type, pointer: u32) -> ShapeRow {
        let bytes = u64::from(if ty == Type::Ptr { pointer } else { ty.bytes() });
        ShapeRow {
            element: Shape::scalar(ty),
            length: 1,
            scalar: ty,
            bytes,
            depth: 0,
            align: 0,
            may_leave: false,
        }
    }
}

/// The shapes of a module. Functions that are lowered in parallel may meet new ones, so they are interned
/// through `&self`; which number a shape has depends on the schedule then, and nothing looks at more than
/// whether two are equal.
#[derive(Debug)]
pub struct Shapes {
    rows: SharedColumn<Shape, ShapeRow>,
    arrays: Mutex<Arrays>,
    /// Bytes of a pointer.
    pointer: u32,
}

/// The array shapes by element and length, and how many shapes there are.
#[derive(Clone, Debug)]
struct Arrays {
    known: DenseMap<u64, Shape>,
    len: usize,
}

impl Default for Shapes {
    fn default() -> Self {
        Shapes::with_pointers(Type::Ptr.bytes())
    }
}

impl Clone for Shapes {
    fn clone(&self) -> Self {
        Shapes { rows: self.rows.clone(), arrays: Mutex::new(self.lock().clone()), pointer: self.pointer }
    }
}

impl Shapes {
    /// The scalars, of a machine with pointers of so many bytes.
    pub fn with_pointers(pointer: u32) -> Shapes {
        let rows = SharedColumn::default();
        for ty in Type::ALL {
            rows.append(Shape::scalar(ty), ShapeRow::scalar(ty, pointer));
        }
        let arrays = Arrays { known: DenseMap::default(), len: Type::ALL.len() };
        Shapes { rows, arrays: Mutex::new(arrays), pointer }
    }

    /// Bytes of a value in memory.
    pub fn bytes_of(&self, ty: Type) -> u32 {
        if ty == Type::Ptr { self.pointer } else { ty.bytes() }
    }

    fn lock(&self) -> MutexGuard<'_, Arrays> {
        self.arrays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a shape. A handle of another module's is taken for a scalar. Most that are asked for
    /// are scalars (of variables, and what the subscripts of most arrays step over), whose handles say all.
    #[inline]
    fn row(&self, shape: Shape) -> ShapeRow {
        match Type::ALL.get(shape.index()) {
            Some(&ty) => ShapeRow::scalar(ty, self.pointer),
            None => self.array_row(shape),
        }
    }

    fn array_row(&self, shape: Shape) -> ShapeRow {
        self.rows.get(shape).copied().unwrap_or_else(|| ShapeRow::scalar(Type::I32, 8))
    }

    /// The shape `[length x element]`.
    pub fn array(&self, element: Shape, length: u32) -> Shape {
        self.intern((element.index() as u64) << 32 | u64::from(length), || {
            let row = self.row(element);
            let (scalar, bytes) = (row.scalar, row.bytes.saturating_mul(u64::from(length)));
            ShapeRow { element, length, scalar, bytes, depth: row.depth + 1, align: 0, may_leave: false }
        })
    }

    /// The same memory, at a multiple of a power of two of at most `MOST_ALIGN`.
    pub fn aligned(&self, shape: Shape, align: u32) -> Shape {
        let key = 1 << 63 | u64::from(align.trailing_zeros()) << 32 | shape.index() as u64;
        self.intern(key, || ShapeRow { align, ..self.row(shape) })
    }

    /// The same memory, for steps that may leave the object and come back (those of a `getelementptr` without
    /// `inbounds`).
    pub fn leaving(&self, shape: Shape) -> Shape {
        // What may do so already stays what it is: steps that are equal have equal shapes.
        match self.may_leave(shape) {
            true => shape,
            false => self
                .intern(1 << 62 | shape.index() as u64, || ShapeRow { may_leave: true, ..self.row(shape) }),
        }
    }

    /// See `leaving`.
    pub fn may_leave(&self, shape: Shape) -> bool {
        self.row(shape).may_leave
    }

    fn intern(&self, key: u64, row: impl FnOnce() -> ShapeRow) -> Shape {
        let mut arrays = self.lock();
        if let Some(&shape) = arrays.known.get(&key) {
            return shape;
        }
        let row = row();
        let shape = Shape::new(arrays.len);
        self.rows.append(shape, row);
        arrays.len += 1;
        arrays.known.insert(key, shape);
        shape
    }

    /// The shape of an array of `scalar` with these lengths, outermost first; no lengths make a scalar.
    pub fn of(&self, scalar: Type, lengths: &[u32]) -> Shape {
        lengths.iter().rev().fold(Shape::scalar(scalar), |shape, &length| self.array(shape, length))
    }

    /// A shape of other tables here. O(depth).
    pub fn like(&self, others: &Shapes, shape: Shape) -> Shape {
        if shape.index() < Type::ALL.len() {
            return shape;
        }
        let (mut lengths, mut inner) = (Vec::new(), shape);
        while others.depth(inner) > 0 {
            lengths.push(others.length(inner));
            inner = others.element(inner);
        }
        let made = self.of(others.scalar_type(shape), &lengths);
        let align = others.asked_align(shape);
        let made = if align == 0 { made } else { self.aligned(made, align) };
        if others.may_leave(shape) { self.leaving(made) } else { made }
    }

    /// True if both hold the same scalars in the same dimensions. O(depth).
    pub fn is_same_type(&self, a: Shape, b: Shape) -> bool {
        let (mut a, mut b) = (a, b);
        loop {
            if a == b {
                return true;
            }
            let is_same = (self.depth(a), self.length(a), self.scalar_type(a))
                == (self.depth(b), self.length(b), self.scalar_type(b));
            if !is_same || self.depth(a) == 0 {
                return is_same;
            }
            (a, b) = (self.element(a), self.element(b));
        }
    }

    /// Number of shapes.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // the scalars are always there
    pub fn len(&self) -> usize {
        self.lock().len
    }

    /// The shape of one element of an array; a scalar's is itself.
    #[inline]
    pub fn element(&self, shape: Shape) -> Shape {
        self.row(shape).element
    }

    /// Elements of an array, 1 for a scalar.
    #[inline]
    pub fn length(&self, shape: Shape) -> u32 {
        self.row(shape).length
    }

    /// The scalar type at the bottom.
    #[inline]
    pub fn scalar_type(&self, shape: Shape) -> Type {
        self.row(shape).scalar
    }

    /// Bytes of the whole shape (saturating; the front end refuses objects over 2 GiB).
    #[inline]
    pub fn bytes(&self, shape: Shape) -> u64 {
        self.row(shape).bytes
    }

    /// The shape of one element, and the bytes of the whole shape.
    #[inline]
    pub fn element_and_bytes(&self, shape: Shape) -> (Shape, u64) {
        let row = self.row(shape);
        (row.element, row.bytes)
    }

    /// The alignment that was asked for; 0 for none.
    pub fn asked_align(&self, shape: Shape) -> u32 {
        self.row(shape).align
    }

    /// How an object is aligned, in bytes: what is large enough is for the widest accesses.
    pub fn align(&self, shape: Shape) -> u32 {
        let row = self.row(shape);
        let of_size = match row.bytes {
            16.. => 16,
            8.. => 8,
            _ => 4,
        };
        row.align.max(of_size)
    }

    /// Array levels, 0 for a scalar.
    #[inline]
    pub fn depth(&self, shape: Shape) -> u32 {
        self.row(shape).depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_lanes_of_an_element_and_found_by_its_number() {
        for ty in Type::every() {
            assert_eq!(Type::from_number(ty as u32), ty);
            assert!(ty.packed() < 64 && Type::of_packed(ty.packed().into()) == Some(ty));
            assert_eq!(Type::lanes_of(ty.element(), ty.lanes()), Some(ty));
            let is_number = ty.is_int() || ty.is_float();
            assert_eq!(is_number, !matches!(ty, Type::Void | Type::Ptr) && !ty.is_vector());
            assert!(
                ty.bytes() <= 64
                    && (ty.element() == Type::I1 || ty.bytes() == ty.element().bytes() * ty.lanes())
            );
        }
        assert_eq!(Type::every().filter(|ty| ty.is_vector()).count(), 22);
        assert_eq!((Type::I32x4.name(), Type::F32x8.code()), ("<4 x i32>", "v8f32"));
        assert_eq!((Type::lanes_of(Type::I64, 16), Type::lanes_of(Type::Ptr, 2)), (None, None));
        assert_eq!((Type::lanes_of(Type::I32, 3), Type::lanes_of(Type::I32x2, 2)), (None, None));
        assert_eq!(Type::F32x8.of_element(Type::I1), Some(Type::I1x8));
    }

    #[test]
    fn equal_shapes_are_equal_handles_and_strides_come_from_elements() {
        let shapes = Shapes::default();
        let a = shapes.of(Type::I32, &[4, 3]);
        assert_eq!(a, shapes.of(Type::I32, &[4, 3]));
        assert_ne!(a, shapes.of(Type::F32, &[4, 3]));
        assert_eq!((shapes.bytes(a), shapes.depth(a), shapes.length(a)), (48, 2, 4));
        assert_eq!(shapes.bytes(shapes.element(a)), 12);
        assert_eq!(shapes.of(Type::F32, &[]), Shape::scalar(Type::F32));
    }

    #[test]
    fn alignment_is_what_the_size_gives_or_more_if_asked_for() {
        let shapes = Shapes::default();
        let (word, row) = (Shape::scalar(Type::I32), shapes.of(Type::I32, &[4]));
        let page = shapes.aligned(word, 4096);
        assert_eq!([word, row, page].map(|shape| shapes.align(shape)), [4, 16, 4096]);
        assert_eq!([word, row, page].map(|shape| shapes.asked_align(shape)), [0, 0, 4096]);
        assert_eq!((shapes.bytes(page), shapes.depth(page), shapes.element(page)), (4, 0, word));
        assert_eq!(page, shapes.aligned(word, 4096));
        assert_ne!(shapes.aligned(row, 64), shapes.aligned(row, 32));
        // What leaves the object leaves it.
        let far = shapes.leaving(word);
        assert!(far != word && far == shapes.leaving(far) && shapes.may_leave(far));
    }

    #[test]
    fn pointers_are_as_large_as_the_machine_says() {
        for bytes in [4, 8] {
            let shapes = Shapes::with_pointers(bytes);
            assert_eq!(shapes.bytes(shapes.of(Type::Ptr, &[3])), 3 * u64::from(bytes));
            assert_eq!((shapes.bytes_of(Type::Ptr), shapes.bytes_of(Type::I64)), (bytes, 8));
        }
    }
}
