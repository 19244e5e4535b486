//! Code with one row changed: what then does something else has to be found.

use super::super::super::execute::execute;
use super::super::super::memory::Memory;
use super::super::super::profile::Recorder;
use super::super::super::random::program;
use super::super::super::{Options, runtime};
use super::super::{Program, decode_and};
use super::*;
use crate::ir::Linkage;

struct Random(u32);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % n
    }
}

/// The slots and the target that a row names.
fn fields(code: &mut Code) -> (Vec<&mut Slot>, Option<&mut Target>) {
    match code {
        Code::Move { d, a }
        | Code::AddImm { d, a, .. }
        | Code::AndImm { d, a, .. }
        | Code::MulImm { d, a, .. } => (vec![d, a], None),
        Code::Imm { d, .. } => (vec![d], None),
        Code::Add { d, a, b } | Code::Sub { d, a, b } | Code::Mul { d, a, b } | Code::Set { d, a, b, .. } => {
            (vec![d, a, b], None)
        }
        Code::Address { d, a, .. } | Code::Load { d, a, .. } => (vec![d, a], None),
        Code::AddressShift { d, a, i, .. } | Code::LoadElem { d, a, i, .. } => (vec![d, a, i], None),
        Code::Store { v, a, .. } => (vec![v, a], None),
        Code::StoreElem { v, a, i, .. } => (vec![v, a, i], None),
        Code::JumpTrue { a, to } | Code::JumpFalse { a, to } => (vec![a], Some(to)),
        Code::JumpEq { a, b, to }
        | Code::JumpNe { a, b, to }
        | Code::JumpSlt { a, b, to }
        | Code::JumpSle { a, b, to }
        | Code::JumpUlt { a, b, to }
        | Code::JumpUle { a, b, to } => (vec![a, b], Some(to)),
        Code::JumpUltImm { a, to, .. }
        | Code::JumpUleImm { a, to, .. }
        | Code::JumpUgtImm { a, to, .. }
        | Code::JumpUgeImm { a, to, .. } => (vec![a], Some(to)),
        Code::JumpSleImm { a, to, .. } | Code::JumpSltImm { a, to, .. } | Code::JumpSgtImm { a, to, .. } => {
            (vec![a], Some(to))
        }
        Code::Jump { to } => (vec![], Some(to)),
        Code::StepJump { d, b, to, .. } => (vec![d, b], Some(to)),
        Code::StepJumpImm { d, to, .. } => (vec![d], Some(to)),
        _ => (vec![], None),
    }
}

/// Changes a slot or a target; false if nothing has changed.
fn change(code: &mut [Code], slots: usize, random: &mut Random) -> bool {
    let (count, k) = (code.len(), random.below(code.len()));
    let (mut named, target) = fields(&mut code[k]);
    let which = random.below(named.len() + 1);
    match (named.get_mut(which), target) {
        (Some(slot), _) => {
            let other = random.below(slots) as Slot;
            std::mem::replace(*slot, other) != other
        }
        (None, Some(to)) => {
            let other = random.below(count) as Target;
            std::mem::replace(to, other) != other
        }
        _ => false,
    }
}

#[test]
fn code_that_does_something_else_is_found() {
    let (mut found, mut same) = (0, 0);
    for seed in 0..200 {
        let module = program(seed * 7919);
        let options = Options { steps: 1 << 14, ..Options::default() };
        let calls = runtime::resolve(&module, false).unwrap();
        let main =
            module.env.funcs.keys().find(|&f| module.env.funcs[f].linkage != Linkage::Declared).unwrap();
        let run = |program: &Program| {
            let mut memory = Memory::new(&module, &options).unwrap();
            let (mut input, mut output, mut errors) = (&b""[..], Vec::new(), Vec::new());
            let mut io = runtime::Io::new(&mut input, &mut output);
            let result = execute(program, (&mut memory, &mut Recorder::default()), &mut io, main, &options)
                .map_err(|trap| trap.message);
            _ = io.finish(&mut errors);
            (result, output)
        };
        let memory = Memory::new(&module, &options).unwrap();
        let right = run(&decode_and(&module, &calls, &memory, (true, None), |d| check(d)).unwrap());
        for round in 0..12 {
            let mut random = Random(seed * 31 + round);
            let mut verdict = Ok(());
            let mut changed = false;
            let wrong = decode_and(&module, &calls, &memory, (true, None), |d| {
                let slots = (d.temps + d.most_temps) as usize;
                changed = change(&mut d.p.code, slots, &mut random);
                verdict = check(d);
                Ok(())
            });
            if !changed {
                continue;
            }
            match verdict {
                Err(_) => found += 1,
                Ok(()) => {
                    same += 1;
                    assert_eq!(run(&wrong.unwrap()), right, "seed {seed}, round {round}");
                }
            }
        }
    }
    assert!(found > 10 * same && found > 1000, "{found} found, {same} do the same");
}
