//! Where control goes: `if`, loops, jumps and `return`, by the stacks of those that are open. O(1) a row.

use super::condition::Condition;
use super::function::Lowering;
use crate::base::Opt;
use crate::ir::{Block, Type, Value};
use crate::syntax::tree::NodeKind;

/// An `if` whose condition is known.
pub(super) struct If {
    /// Where control is for which the condition does not hold, until `else` or the end.
    no: Opt<Block>,
    /// Where both arms meet, if there are two and the first one gets there.
    join: Opt<Block>,
}

/// A loop.
pub(super) struct Loop {
    /// What a round begins with.
    head: Block,
    /// `continue` goes there: to the head, the step or the condition of a `do`.
    next: Block,
    /// `break` goes there. Until the condition is known, the head; of a `do` always the block behind it.
    exit: Block,
}

impl Lowering<'_> {
    #[inline(never)]
    pub(super) fn control(&mut self, kind: NodeKind) {
        match kind {
            NodeKind::InitStart => self.init_start(self.row),
            NodeKind::IfCond => self.if_cond(),
            NodeKind::ElseStart => self.else_start(),
            NodeKind::If => self.if_end(),
            NodeKind::WhileCond => self.while_cond(),
            NodeKind::While => self.while_end(),
            NodeKind::Break => self.jump(|frame| frame.exit),
            NodeKind::ForStart => self.for_start(),
            NodeKind::StepStart => self.step_start(),
            NodeKind::For => self.while_end(),
            NodeKind::DoStart => self.do_start(),
            NodeKind::DoCond => self.do_cond(),
            NodeKind::Do => self.do_end(),
            NodeKind::Continue => self.jump(|frame| frame.next),
            NodeKind::Return => self.return_statement(),
            _ => {}
        }
    }

    fn pop_branch(&mut self) -> (Block, Block) {
        let condition: Condition = self.pop_condition();
        self.branch(condition)
    }

    fn if_cond(&mut self) {
        let (yes, no) = self.pop_branch();
        self.scratch.ifs.push(If { no: Opt::some(no), join: Opt::NONE });
        self.arrive(yes);
    }

    fn else_start(&mut self) {
        let mut join = Opt::NONE;
        if !self.dead {
            let b = self.body.create_block_apart();
            self.go_on_to(b);
            join = Opt::some(b);
        }
        if let Some(frame) = self.scratch.ifs.last_mut() {
            frame.join = join;
            if let Some(no) = std::mem::take(&mut frame.no).get() {
                self.arrive(no);
            }
        }
    }

    fn if_end(&mut self) {
        let Some(frame) = self.scratch.ifs.pop() else { return };
        match frame.join.get().or(frame.no.get()) {
            Some(next) => {
                if !self.dead {
                    self.go_on_to(next);
                }
                self.arrive(next);
            }
            None if self.dead => self.leave(),
            None => {}
        }
    }

    pub(super) fn while_start(&mut self) {
        let head = self.body.create_block_apart();
        self.go_on_to(head);
        self.start_head(head);
        self.scratch.loops.push(Loop { head, next: head, exit: head });
    }

    /// A `for`: as a `while` whose `continue` goes elsewhere.
    fn for_start(&mut self) {
        self.while_start();
        let next = self.body.create_block_apart();
        if let Some(frame) = self.scratch.loops.last_mut() {
            frame.next = next;
        }
    }

    fn do_start(&mut self) {
        self.for_start();
        let exit = self.body.create_block_apart();
        if let Some(frame) = self.scratch.loops.last_mut() {
            frame.exit = exit;
        }
    }

    /// The end of the body of a `for` or `do`.
    fn step_start(&mut self) {
        let Some(next) = self.scratch.loops.last().map(|frame| frame.next) else { return };
        if !self.dead {
            self.go_on_to(next);
        }
        self.arrive(next);
    }

    fn do_cond(&mut self) {
        let condition = self.pop_condition();
        let Some((head, exit)) = self.scratch.loops.last().map(|frame| (frame.head, frame.exit)) else {
            return;
        };
        self.branch_to(condition, head, exit);
        self.leave();
    }

    fn do_end(&mut self) {
        if let Some(frame) = self.scratch.loops.pop() {
            self.arrive(frame.exit);
        }
    }

    fn while_cond(&mut self) {
        let (yes, no) = self.pop_branch();
        if let Some(frame) = self.scratch.loops.last_mut() {
            frame.exit = no;
        }
        self.arrive(yes);
    }

    fn while_end(&mut self) {
        let Some(frame) = self.scratch.loops.pop() else { return };
        if !self.dead {
            self.go_on_to(frame.head);
        }
        self.arrive(frame.exit);
    }

    fn jump(&mut self, target: impl Fn(&Loop) -> Block) {
        let Some(to) = self.scratch.loops.last().map(target) else { return };
        self.body.set_br(self.current, to, self.jump_place());
        self.leave();
    }

    fn return_statement(&mut self) {
        let slot = if self.input.tree.size[self.row] > 1 { Some(self.pop()) } else { None };
        if let (Some(slot), Some(address)) = (slot, self.result_address) {
            self.return_tensor(slot, address);
        }
        let value = match (slot, self.result()) {
            (_, Type::Void) => None,
            (Some(slot), ty) => {
                let (value, from) = self.value_of(slot);
                Some(self.convert(value, from, ty))
            }
            (None, ty) => Some(Value::undef(ty)),
        };
        self.body.set_ret(self.current, value, self.place());
        self.leave();
    }
}
