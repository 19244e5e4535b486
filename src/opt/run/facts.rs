//! What is known of a program (`Facts`) and what has been seen of one function (`Local`): stores by type, as a pass's own
//! memory is (`pass::with_memory`). So the frame of passes names none of them: a summary or barrier brings its types in
//! its own file, and who asks names the type.
//!
//! A store holds a handful of rows; a look-up compares their types one by one, some nanoseconds.

use crate::base::Handle;
use crate::ir::{Body, Env, FuncId, GlobalId};
use crate::opt::run::renumber::Renumbering;
use std::any::{Any, TypeId};
use std::fmt::Debug;

/// Something known of the program.
pub trait Fact: Any + Debug + Send + Sync {
    /// What reports call it.
    fn name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// The highest numbers of a function and of a global that it holds, for `-fverify`.
    fn highest(&self) -> (Option<FuncId>, Option<GlobalId>);

    /// Gives globals their new numbers. False if it has no use behind that, and goes.
    fn renumber(&mut self, new: &Renumbering) -> bool;
}

/// What summaries and module passes know of the program so far: one of each type.
#[derive(Debug, Default)]
pub struct Facts {
    own: Vec<Box<dyn Fact>>,
}

impl Facts {
    /// What is known, if something of this type is.
    pub fn get<T: Fact>(&self) -> Option<&T> {
        self.own.iter().find_map(|fact| (&**fact as &dyn Any).downcast_ref())
    }

    /// Takes it out.
    pub fn take<T: Fact>(&mut self) -> Option<T> {
        let at = self.own.iter().position(|fact| (&**fact as &dyn Any).is::<T>())?;
        let fact: Box<dyn Any> = self.own.swap_remove(at);
        fact.downcast().ok().map(|fact| *fact)
    }

    /// Puts it in the place of what there was of this type.
    pub fn set<T: Fact>(&mut self, fact: T) {
        self.own.retain(|fact| !(&**fact as &dyn Any).is::<T>());
        self.own.push(Box::new(fact));
    }

    /// Changes it, beginning with the default.
    pub fn update<T: Fact + Default>(&mut self, change: impl FnOnce(&mut T)) {
        let mut fact = self.take().unwrap_or_default();
        change(&mut fact);
        self.set(fact);
    }

    /// Gives globals their new numbers in all facts, and drops those that are of no use any more.
    pub(super) fn renumber(&mut self, new: &Renumbering) {
        self.own.retain_mut(|fact| fact.renumber(new));
    }

    /// The name of a fact that is about a function or global that there is not.
    pub(super) fn beyond(&self, env: &Env) -> Option<&'static str> {
        let is_beyond = |fact: &dyn Fact| {
            let (func, global) = fact.highest();
            func.is_some_and(|func| func.index() >= env.funcs.len())
                || global.is_some_and(|global| global.index() >= env.globals.len())
        };
        self.own.iter().map(|fact| &**fact).find(|fact| is_beyond(*fact)).map(Fact::name)
    }
}

/// Something to be seen in one function by itself.
pub trait Sight: Any + Debug + PartialEq + Send + Sync {
    /// Looks at the function.
    fn of(env: &Env, f: &Body) -> Self;
}

/// What has been seen of one function: one of each type.
#[derive(Debug, Default)]
pub struct Local {
    own: Vec<Box<dyn Any + Send + Sync>>,
}

impl Local {
    /// What has been seen, if something of this type has.
    pub fn get<T: Sight>(&self) -> Option<&T> {
        self.own.iter().find_map(|seen| seen.downcast_ref())
    }

    /// Takes it out.
    pub fn take<T: Sight>(&mut self) -> Option<T> {
        let at = self.own.iter().position(|seen| seen.is::<T>())?;
        self.own.swap_remove(at).downcast().ok().map(|seen| *seen)
    }

    /// Puts it in the place of what there was of this type.
    pub fn set<T: Sight>(&mut self, seen: T) {
        match self.own.iter_mut().find_map(|old| old.downcast_mut()) {
            Some(old) => *old = seen,
            None => self.own.push(Box::new(seen)),
        }
    }
}

/// A type of sight, for the rows of summaries and module passes.
#[derive(Debug)]
pub struct Look {
    kind: fn() -> TypeId,
    see: fn(&Env, &Body, &mut Local),
    is_so: fn(&Env, &Body, &Local) -> bool,
}

impl Look {
    /// Looks for what is of this type.
    pub const fn at<T: Sight>() -> Look {
        Look {
            kind: TypeId::of::<T>,
            see: |env, f, local| local.set(T::of(env, f)),
            is_so: |env, f, local| local.get::<T>().is_none_or(|seen| *seen == T::of(env, f)),
        }
    }

    /// True if this is what it looks for.
    pub fn is<T: Sight>(&self) -> bool {
        (self.kind)() == TypeId::of::<T>()
    }

    /// True if both look for the same.
    pub fn is_same(&self, other: &Look) -> bool {
        (self.kind)() == (other.kind)()
    }

    /// Notes what there is to see in a function.
    pub fn see(&self, env: &Env, f: &Body, local: &mut Local) {
        (self.see)(env, f, local);
    }

    /// True if what was seen is still so; for `-fverify`.
    pub fn is_so(&self, env: &Env, f: &Body, local: &Local) -> bool {
        (self.is_so)(env, f, local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[derive(Debug, Default, PartialEq)]
    struct Blocks(usize);

    impl Sight for Blocks {
        fn of(_: &Env, f: &Body) -> Blocks {
            Blocks(f.block_count())
        }
    }

    #[derive(Debug, Default, PartialEq)]
    struct Globals(Vec<GlobalId>);

    impl Fact for Globals {
        fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
            (None, self.0.iter().copied().max())
        }

        fn renumber(&mut self, new: &Renumbering) -> bool {
            self.0 = self.0.iter().filter_map(|&global| new[global].get()).collect();
            !self.0.is_empty()
        }
    }

    #[test]
    fn facts_are_found_by_type_renumbered_and_dropped() {
        let mut facts = Facts::default();
        assert!(facts.get::<Globals>().is_none());
        facts.update(|known: &mut Globals| known.0.push(GlobalId::new(1)));
        facts.update(|known: &mut Globals| known.0.push(GlobalId::new(0)));
        assert_eq!(facts.get::<Globals>().map(|known| known.0.len()), Some(2));
        let module = parse("@a = global i32 0\ndefine i32 @f() {\n  ret i32 0\n}\n").unwrap();
        assert!(facts.beyond(&module.env).is_some_and(|name| name.ends_with("Globals")));
        let new = Renumbering::from(vec![crate::base::Opt::NONE, crate::base::Opt::some(GlobalId::new(0))]);
        facts.renumber(&new);
        assert_eq!(facts.get::<Globals>(), Some(&Globals(vec![GlobalId::new(0)])));
        assert_eq!(facts.beyond(&module.env), None);
        facts.renumber(&new);
        assert!(facts.get::<Globals>().is_none());
    }

    #[test]
    fn what_has_been_seen_is_compared_with_what_there_is() {
        let module = parse("define i32 @f() {\n  ret i32 0\n}\n").unwrap();
        let (env, f) = (&module.env, module.defined().next().unwrap());
        let (look, mut local) = (Look::at::<Blocks>(), Local::default());
        assert!(look.is_so(env, f, &local) && look.is::<Blocks>());
        look.see(env, f, &mut local);
        assert!(look.is_so(env, f, &local));
        local.set(Blocks(7));
        assert!(!look.is_so(env, f, &local));
        assert_eq!(local.take::<Blocks>(), Some(Blocks(7)));
        assert!(local.get::<Blocks>().is_none());
    }
}
