//! What calls can do (`analysis/effects`), summed up in source order, so that loads, stores and calls that do not matter
//! can go.

use crate::analysis::Effects;
use crate::analysis::effects::{Own, own};
use crate::ir::{Body, Env, FuncId, GlobalId};
use crate::opt::run::facts::{Fact, Local, Look, Sight};
use crate::opt::run::manager::Summary;
use crate::opt::run::renumber::Renumbering;

/// The summary.
pub static EFFECTS: Summary = Summary {
    name: "effects",
    looks: &[Look::at::<Own>()],
    begin: |facts, env, ranks| {
        facts.update(|effects: &mut Effects| {
            effects.begin(env);
            effects.rank(ranks);
        });
    },
    add: |facts, env, locals| {
        facts.update(|effects: &mut Effects| effects.add(env, locals.filter_map(Local::take)));
    },
};

impl Sight for Own {
    fn of(env: &Env, f: &Body) -> Own {
        own(env, f)
    }
}

impl Fact for Effects {
    fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
        (self.of.keys().last(), self.highest_global())
    }

    fn renumber(&mut self, new: &Renumbering) -> bool {
        Effects::renumber(self, new);
        true
    }
}
