//! What values are called in dumps: a variable's memory, what is read from it and what is stored there,
//! after the variable. O(body), and only where something is dumped.

use super::Input;
use crate::base::Column;
use crate::ir::names::Names;
use crate::ir::{Body, Env, Inst, Op, Value, ValueKind};
use crate::sema::{NO_PLACE, Sym};

/// Names the values of a body whose parameters and locals are `symbols`, parameters first.
pub(super) fn name_values(
    input: Input<'_>,
    env: &Env,
    symbols: impl Iterator<Item = Sym>,
    addresses: &Column<Sym, Value>,
    f: &mut Body,
) {
    let mut names = Box::<Names>::default();
    let mut params = f.params();
    for sym in symbols {
        let at = input.sema.row(sym).place;
        let text = input.file.text.get(at as usize..).filter(|_| at != NO_PLACE).unwrap_or(&[]);
        let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let text = std::str::from_utf8(&text[..length]).unwrap_or("");
        for i in params.next().into_iter().chain(addresses[sym].as_inst()) {
            names.name(i, text);
        }
    }
    for i in f.blocks().flat_map(|b| f.insts(b)) {
        match (f.op(i), f.args(i)) {
            (Op::Load | Op::ElemAddr, &[address, ..]) => name_after(&mut names, env, i, address),
            (Op::Store, &[value, address]) => {
                _ = value.as_inst().map(|value| name_after(&mut names, env, value, address));
            }
            _ => {}
        }
    }
    f.names = Some(names);
}

/// Calls a value after what is at an address.
fn name_after(names: &mut Names, env: &Env, i: Inst, address: Value) {
    match address.kind() {
        ValueKind::Inst(address) => names.name_after(i, address),
        ValueKind::Global(global) => names.name(i, env.names.text(env.globals[global].name)),
        _ => {}
    }
}
