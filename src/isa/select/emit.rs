//! Emitting rows. All of it is inlined into handlers, but for what needs more room.

use super::Select;
use crate::ir::{Type, Value};
use crate::mir::func::MAX_VREGS;
use crate::mir::{Func, InstRow, MachineOp, Operand};

impl Select<'_> {
    /// Emits a row behind those already emitted for this instruction, with one result, a fresh register;
    /// returns that.
    #[inline(never)]
    pub fn emit_fresh<const USES: usize>(
        &mut self,
        op: MachineOp,
        ty: Type,
        uses: &[Operand; USES],
        imm: i32,
        sym: u32,
    ) -> Operand {
        let Func { vregs, operands, .. } = &self.out;
        let rows = &self.columns.rows;
        if vregs.is_full()
            || operands.capacity() - operands.len() < USES + 1
            || rows.len() == rows.capacity()
            || vregs.len() + 1 >= MAX_VREGS
        {
            return self.emit_fresh_slowly(op, ty, *uses, imm, sym);
        }
        let d = Operand::virt(self.out.vregs.push(self.kinds[ty.register_number()]));
        self.emit(op, &[d], uses, imm, sym);
        d
    }

    /// The same, where there may be no room. Apart, so that where there is, nothing is called and no register
    /// saved.
    #[cold]
    #[inline(never)]
    fn emit_fresh_slowly<const USES: usize>(
        &mut self,
        op: MachineOp,
        ty: Type,
        uses: [Operand; USES],
        imm: i32,
        sym: u32,
    ) -> Operand {
        let d = Operand::virt(self.new_reg(ty));
        self.emit(op, &[d], &uses, imm, sym);
        d
    }

    /// Emits a row behind those already emitted for this instruction: of `operands`, the first `defs` are
    /// definitions.
    #[inline(always)]
    pub fn emit_row(&mut self, op: MachineOp, defs: u8, operands: &[Operand], imm: i32, sym: u32) {
        let (first, uses) = (self.out.operands.len() as u32, operands.len() as u8 - defs);
        self.out.operands.extend_from_slice(operands);
        self.columns.rows.push(InstRow { op, defs, uses, first, imm, sym });
    }

    /// As above, definitions and uses apart, four in all at most.
    #[inline(always)]
    pub fn emit<const DEFS: usize, const USES: usize>(
        &mut self,
        op: MachineOp,
        defs: &[Operand; DEFS],
        uses: &[Operand; USES],
        imm: i32,
        sym: u32,
    ) {
        const { assert!(DEFS + USES <= 4) };
        // Side by side first: then one check of capacities is enough.
        let mut operands = [Operand::FRAME; 4];
        operands[..DEFS].copy_from_slice(defs);
        operands[DEFS..DEFS + USES].copy_from_slice(uses);
        self.emit_row(op, DEFS as u8, &operands[..DEFS + USES], imm, sym);
    }

    /// The rows emitted for this instruction so far.
    pub fn emitted(&mut self) -> &mut [InstRow] {
        &mut self.columns.rows[self.flushed..]
    }

    /// Emits a row with an immediate of 64 bits in a table; returns its result, a fresh register.
    pub fn emit_wide(&mut self, op: MachineOp, ty: Type, x: i64) -> Operand {
        let row = self.out.wide.len() as u32;
        self.out.wide.push(x);
        self.emit_fresh(op, ty, &[], 0, row)
    }

    /// Emits a floating constant by its bits, of 32 or, in a table, of 64.
    pub fn emit_float(&mut self, [single, double]: [MachineOp; 2], ty: Type, v: Value) -> Operand {
        if ty == Type::F64 {
            let bits = self.body.as_f64(v).unwrap_or(0.0).to_bits();
            return self.emit_wide(double, ty, bits as i64);
        }
        let bits = self.body.as_f32(v).unwrap_or(0.0).to_bits();
        self.emit_fresh(single, ty, &[], bits as i32, 0)
    }

    /// Emits a call, as `emit_row` does other rows.
    pub fn emit_call(&mut self, op: MachineOp, defs: u8, operands: &[Operand], sym: u32) {
        self.out.has_calls = true;
        self.emit_fixed(op, defs, operands, sym);
    }

    /// Emits a row whose results come in given registers.
    pub fn emit_fixed(&mut self, op: MachineOp, defs: u8, operands: &[Operand], sym: u32) {
        for def in &operands[..usize::from(defs)] {
            if let (Some(v), Some(reg)) = (def.as_virt(), def.constraint()) {
                self.out.vregs[v].comes_in = reg.0;
            }
        }
        self.emit_row(op, defs, operands, 0, sym);
    }
}
