//! Types of values, and shapes of memory.
//!
//! A value has a scalar `Type` (pointers are opaque, as in LLVM 15 and later). Memory has a `Shape`: a scalar
//! or a row-major array of scalars, interned so that equal shapes are equal handles. How large a pointer is,
//! and what alignment was asked for beyond what the size gives, are facts of shapes, too.

use crate::base::intern::DenseMap;
use crate::base::{Handle, SharedColumn};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The type of a value. Fits four bits with room for the vector types to come.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
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
}

/// Facts about a type, by number.
struct TypeRow {
    name: &'static str,
    code: &'static str,
    bytes: u8,
    int_bits: u8,
}

const TYPES: [TypeRow; 8] = [
    TypeRow { name: "void", code: "isVoid", bytes: 0, int_bits: 0 },
    TypeRow { name: "i1", code: "i1", bytes: 1, int_bits: 1 },
    TypeRow { name: "i8", code: "i8", bytes: 1, int_bits: 8 },
    TypeRow { name: "i32", code: "i32", bytes: 4, int_bits: 32 },
    TypeRow { name: "i64", code: "i64", bytes: 8, int_bits: 64 },
    TypeRow { name: "float", code: "f32", bytes: 4, int_bits: 0 },
    TypeRow { name: "double", code: "f64", bytes: 8, int_bits: 0 },
    TypeRow { name: "ptr", code: "p0", bytes: 8, int_bits: 0 },
];

impl Type {
    /// All types, in number order.
    pub const ALL: [Type; 8] =
        [Type::Void, Type::I1, Type::I8, Type::I32, Type::I64, Type::F32, Type::F64, Type::Ptr];

    /// The name in LLVM's text form.
    pub fn name(self) -> &'static str {
        TYPES[self as usize].name
    }

    /// What the names of LLVM's intrinsics have of it: `f32`.
    pub fn code(self) -> &'static str {
        TYPES[self as usize].code
    }

    /// Bytes in memory. Pointers count 8; where they may be smaller, `Shapes` knows.
    pub fn bytes(self) -> u32 {
        u32::from(TYPES[self as usize].bytes)
    }

    /// Width in bits of an integer type, 0 of any other.
    pub fn int_bits(self) -> u32 {
        u32::from(TYPES[self as usize].int_bits)
    }

    /// True for i1, i8, i32 and i64.
    pub fn is_int(self) -> bool {
        self.int_bits() != 0
    }

    /// True for float and double.
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
        self.intern(1 << 62 | shape.index() as u64, || ShapeRow { may_leave: true, ..self.row(shape) })
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
