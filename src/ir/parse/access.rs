//! Loads and stores. What is aligned less than its type, on a machine that asks for that, is read and written in parts that are
//! aligned, or need not be; bits that are a
//! float on one side and an integer on the other go by memory.

use super::builder::{Builder, Operand};
use super::call::is_constant;
use super::metadata::Bearer;
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::{Access, At, Inst, Op, Shape, Type, Value};

/// Loads, and as many stores, that a copy of a known number of bytes takes at most.
const MOST_PARTS: u32 = 8;

impl Parser<'_> {
    /// `load`, whose word has been read; what it yields.
    pub(super) fn load(&mut self, b: &mut Builder) -> Parsed<Value> {
        if self.eat_word("atomic")? {
            return self.atomic_load(b);
        }
        let is_volatile = self.eat_word("volatile")?;
        if self.at_aggregate() {
            return self.load_compound(b, is_volatile);
        }
        self.is_whole(is_volatile)?;
        let ty = self.ty()?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let access = self.access(Bearer::load(ty), ty)?;
        self.load_of(b, ty, address, access, is_volatile)
    }

    /// That a vector is read and written as a whole: not lane by lane (`lanes`), as truth values are and what is volatile.
    fn is_whole(&self, is_volatile: bool) -> Parsed<()> {
        match self.vector_ahead() {
            Some(lanes) if lanes.is_bits() || is_volatile => self.error("this vector is not read as a whole"),
            _ => Ok(()),
        }
    }

    /// A load of a type of the tables.
    pub(super) fn load_of(
        &mut self,
        b: &mut Builder,
        ty: Type,
        address: Operand,
        access: Access,
        is_volatile: bool,
    ) -> Parsed<Value> {
        let loads = if is_volatile { Op::LoadVolatile } else { Op::Load };
        if self.is_aligned(ty, access) {
            let i = b.insert(loads, ty, &[address], 0);
            b.f.set_access(i, access);
            return Ok(Value::inst(i));
        }
        let wide = self.int_of(ty);
        let part = self.part_of(access, wide);
        let mut whole: Option<Value> = None;
        for at in (0..wide.bytes()).step_by(part.bytes() as usize) {
            let place = self.place_behind(b, address, at);
            let i = b.insert(loads, part, &[place], 0);
            b.f.set_access(i, self.access_at(part, access, at));
            let mut x = Value::inst(i);
            if part != wide {
                x = Value::inst(b.insert(Op::ZExt, wide, &[Operand::Value(x)], 0));
            }
            if at != 0 {
                let amount = Operand::Value(b.f.int_of(wide, i64::from(8 * at)));
                x = Value::inst(b.insert(Op::Shl, wide, &[Operand::Value(x), amount], 0));
            }
            whole = Some(match whole {
                Some(low) => {
                    Value::inst(b.insert(Op::Or, wide, &[Operand::Value(low), Operand::Value(x)], 0))
                }
                None => x,
            });
        }
        let whole = whole.unwrap_or(Value::undef(wide));
        Ok(match ty {
            Type::Ptr => Value::inst(b.insert(Op::IntToPtr, ty, &[Operand::Value(whole)], 0)),
            _ if ty.is_float() => self.bits(b, Operand::Value(whole), ty)?,
            _ => whole,
        })
    }

    /// `store`, whose word has been read.
    pub(super) fn store(&mut self, b: &mut Builder) -> Parsed<()> {
        if self.eat_word("atomic")? {
            return self.atomic_store(b);
        }
        let is_volatile = self.eat_word("volatile")?;
        if self.at_aggregate() {
            return self.store_compound(b, is_volatile);
        }
        self.is_whole(is_volatile)?;
        let (ty, value) = self.typed_operand(b)?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let access = self.access(Bearer::MEMORY, ty)?;
        self.store_of(b, ty, value, address, access, is_volatile)
    }

    /// A store of a value of the tables.
    pub(super) fn store_of(
        &mut self,
        b: &mut Builder,
        ty: Type,
        value: Operand,
        address: Operand,
        access: Access,
        is_volatile: bool,
    ) -> Parsed<()> {
        let stores = if is_volatile { Op::StoreVolatile } else { Op::Store };
        if self.is_aligned(ty, access) {
            let i = b.insert(stores, Type::Void, &[value, address], 0);
            b.f.set_access(i, access);
            return Ok(());
        }
        let wide = self.int_of(ty);
        let part = self.part_of(access, wide);
        let whole = match ty {
            Type::Ptr => Operand::Value(Value::inst(b.insert(Op::PtrToInt, wide, &[value], 0))),
            _ if ty.is_float() => Operand::Value(self.bits(b, value, wide)?),
            _ => value,
        };
        for at in (0..wide.bytes()).step_by(part.bytes() as usize) {
            let mut x = whole;
            if at != 0 {
                let amount = Operand::Value(b.f.int_of(wide, i64::from(8 * at)));
                x = Operand::Value(Value::inst(b.insert(Op::LShr, wide, &[x, amount], 0)));
            }
            if part != wide {
                x = Operand::Value(Value::inst(b.insert(Op::Trunc, part, &[x], 0)));
            }
            let place = self.place_behind(b, address, at);
            let i = b.insert(stores, Type::Void, &[x, place], 0);
            b.f.set_access(i, self.access_at(part, access, at));
        }
        Ok(())
    }

    /// The bits of a value under another type of as many bytes, by memory of the function's.
    pub(super) fn bits(&mut self, b: &mut Builder, value: Operand, to: Type) -> Parsed<Value> {
        let Some(entry) = b.f.entry() else { return self.expected("a block") };
        let shape = self.module.env.shapes.of(Type::I8, &[to.bytes().max(8)]).index() as u32;
        let room = b.f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], shape, b.place());
        let room = Operand::Value(Value::inst(room));
        b.insert(Op::Store, Type::Void, &[value, room], 0);
        Ok(Value::inst(b.insert(Op::Load, to, &[room], 0)))
    }

    /// The address so many bytes behind another.
    pub(super) fn place_behind(&mut self, b: &mut Builder, address: Operand, bytes: u32) -> Operand {
        if bytes == 0 {
            return address;
        }
        let (shape, distance) = (Shape::scalar(Type::I8), Operand::Value(b.f.int(bytes as i32)));
        let i: Inst = b.insert(Op::ElemAddr, Type::Ptr, &[address, distance], shape.index() as u32);
        Operand::Value(Value::inst(i))
    }

    /// `memcpy` of a known small number of bytes, read and then written in the machine's words (LLVM's `MaxStoresPerMemcpy`);
    /// false, and nothing done, for any other call. A call destroys half of the registers and takes 20 to 60 instructions.
    pub(super) fn small_copy(
        &mut self,
        b: &mut Builder,
        args: &[(Type, Operand)],
        aligned: impl Fn(usize) -> u32,
    ) -> bool {
        let &[(Type::Ptr, to), (Type::Ptr, from), (_, length), (_, volatile)] = args else { return false };
        let number = |of: Operand| if let Operand::Value(v) = of { b.f.as_int(v) } else { None };
        let (Some(bytes), Some(0), false) = (number(length), number(volatile), self.platform.name.is_empty())
        else {
            return false;
        };
        let (to_align, from_align) = (aligned(0).max(1), aligned(1).max(1));
        let parts = self.parts_of_copy(bytes, to_align.min(from_align));
        let is_image = || u32::try_from(bytes).is_ok_and(|bytes| is_constant(&self.module.env, from, bytes));
        let Some(parts) = parts.filter(|_| !is_image()) else { return false };
        let mut values = Vec::with_capacity(parts.len());
        for &(ty, at) in &parts {
            let place = self.place_behind(b, from, at);
            let i = b.insert(Op::Load, ty, &[place], 0);
            b.f.set_access(i, self.access_at(ty, Access { align: from_align }, at));
            values.push(Operand::Value(Value::inst(i)));
        }
        for (&(ty, at), value) in parts.iter().zip(values) {
            let place = self.place_behind(b, to, at);
            let i = b.insert(Op::Store, Type::Void, &[value, place], 0);
            b.f.set_access(i, self.access_at(ty, Access { align: to_align }, at));
        }
        true
    }

    /// The words, and what is left in smaller ones, that so many bytes are copied in: types and places.
    fn parts_of_copy(&self, bytes: i64, align: u32) -> Option<Vec<(Type, u32)>> {
        let word = self.platform.pointer_bytes;
        let bytes = u32::try_from(bytes).ok().filter(|&bytes| bytes <= MOST_PARTS * word)?;
        let (mut parts, mut at) = (Vec::new(), 0);
        for (ty, step) in [(Type::I64, 8), (Type::I32, 4), (Type::I16, 2), (Type::I8, 1)] {
            let fits = step <= word && (step <= align || self.platform.unaligned.contains(&ty));
            while fits && bytes - at >= step {
                parts.push((ty, at));
                at += step;
            }
        }
        (parts.len() <= MOST_PARTS as usize).then_some(parts)
    }

    /// The integer that has as many bytes.
    fn int_of(&self, ty: Type) -> Type {
        match self.module.env.shapes.bytes_of(ty) {
            1 => Type::I8,
            2 => Type::I16,
            4 => Type::I32,
            _ => Type::I64,
        }
    }

    /// What is known of the access to a part of what is accessed.
    pub(super) fn access_at(&self, ty: Type, access: Access, at: u32) -> Access {
        let usual = self.module.env.shapes.bytes_of(ty);
        let known = if access.align == 0 { usual } else { access.align.min(1 << at.trailing_zeros().min(4)) };
        Access { align: if known >= usual { 0 } else { known } }
    }

    /// True if an access is one of the machine's.
    fn is_aligned(&self, ty: Type, access: Access) -> bool {
        access.align == 0
            || access.align >= self.module.env.shapes.bytes_of(ty.element())
            || self.platform.unaligned.contains(&ty)
    }

    /// The parts that an integer is accessed in.
    fn part_of(&self, access: Access, whole: Type) -> Type {
        if whole.bytes() > 4 && self.platform.unaligned.contains(&Type::I32) {
            return Type::I32;
        }
        match access.align {
            _ if self.platform.unaligned.contains(&whole) => whole,
            1 => Type::I8,
            2 => Type::I16,
            _ => Type::I32,
        }
    }

    /// The end of a load or store of a value of this type.
    fn access(&mut self, bearer: Bearer, ty: Type) -> Parsed<Access> {
        let at = self.start;
        let Access { mut align } = self.trailer_of(bearer)?;
        let usual = self.module.env.shapes.bytes_of(ty.element());
        if align != 0 && align < usual && ty.is_vector() {
            return self
                .error_at(at, "a vector in memory that is aligned less than its lanes is not supported");
        }
        if align == usual {
            align = 0;
        }
        Ok(Access { align })
    }
}
