//! Types of values, and shapes of memory.
//!
//! A value has a scalar `Type` (pointers are opaque, as in LLVM 15 and later). Memory has a `Shape`: a scalar or a
//! row-major array of scalars, interned so that equal shapes are equal handles.

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

    /// Bytes in memory. Pointers count 8; a 32-bit target asks its own description.
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
}

impl ShapeRow {
    fn scalar(ty: Type) -> ShapeRow {
        let bytes = u64::from(ty.bytes());
        ShapeRow { element: Shape::scalar(ty), length: 1, scalar: ty, bytes, depth: 0 }
    }
}

/// The shapes of a module. Functions that are lowered in parallel may meet new ones, so they are interned through `&self`;
/// which number a shape has depends on the schedule then, and nothing looks at more than whether two are equal.
#[derive(Debug)]
pub struct Shapes {
    rows: SharedColumn<Shape, ShapeRow>,
    arrays: Mutex<Arrays>,
}

/// The array shapes by element and length, and how many shapes there are.
#[derive(Clone, Debug)]
struct Arrays {
    known: DenseMap<u64, Shape>,
    len: usize,
}

impl Default for Shapes {
    fn default() -> Self {
        let rows = SharedColumn::default();
        for ty in Type::ALL {
            rows.append(Shape::scalar(ty), ShapeRow::scalar(ty));
        }
        let arrays = Arrays { known: DenseMap::default(), len: Type::ALL.len() };
        Shapes { rows, arrays: Mutex::new(arrays) }
    }
}

impl Clone for Shapes {
    fn clone(&self) -> Self {
        Shapes { rows: self.rows.clone(), arrays: Mutex::new(self.lock().clone()) }
    }
}

impl Shapes {
    fn lock(&self) -> MutexGuard<'_, Arrays> {
        self.arrays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a shape. A handle of another module's is taken for a scalar. Most that are asked for are scalars (of
    /// variables, and what the subscripts of most arrays step over), whose handles say all.
    #[inline]
    fn row(&self, shape: Shape) -> ShapeRow {
        match Type::ALL.get(shape.index()) {
            Some(&ty) => ShapeRow::scalar(ty),
            None => self.array_row(shape),
        }
    }

    fn array_row(&self, shape: Shape) -> ShapeRow {
        self.rows.get(shape).copied().unwrap_or_else(|| ShapeRow::scalar(Type::I32))
    }

    /// The shape `[length x element]`.
    pub fn array(&self, element: Shape, length: u32) -> Shape {
        let key = (element.index() as u64) << 32 | u64::from(length);
        let mut arrays = self.lock();
        if let Some(&shape) = arrays.known.get(&key) {
            return shape;
        }
        let row = self.row(element);
        let row = ShapeRow {
            element,
            length,
            scalar: row.scalar,
            bytes: row.bytes.saturating_mul(u64::from(length)),
            depth: row.depth + 1,
        };
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
}
