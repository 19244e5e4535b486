//! Where a program may be loaded, and who else sees its names: what decides how code gets at an address.
//!
//! A name that other programs and libraries can replace (a default-visible one of a shared library) or that may be in another
//! one (a declaration in a program that is linked with shared libraries) has its address in the table of addresses, the GOT;
//! all others are as far from the code as they were when linked. This is LLVM's `shouldAssumeDSOLocal` and `getTLSModel`, with
//! one difference: what is defined in a program is local to it, whether the text says `dso_local` or not. O(1) each.

use super::module::{Env, Func, Global, GlobalId, Linkage};

/// What code is linked into (LLVM's relocation model, with its level for programs).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelocationModel {
    /// A program at a fixed address (`-fno-pic`).
    #[default]
    Static,
    /// A program that is loaded anywhere (`-fPIE`).
    Pie,
    /// A shared library, too (`-fPIC`).
    Pic,
}

/// How the address of thread-local data is found, from what is right anywhere to what is quickest. The second is compiled as
/// the first, as LLVM does on these machines.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadModel {
    /// By a call, in a library that may be loaded late.
    #[default]
    GeneralDynamic,
    /// By a call, in this library.
    LocalDynamic,
    /// By an offset in the table of addresses, known when the program starts.
    InitialExec,
    /// By an offset that is known when the program is linked.
    LocalExec,
}

impl ThreadModel {
    /// LLVM's names of all but the first, which needs none; gcc's have a dash.
    pub(crate) const NAMES: [(&'static str, ThreadModel); 3] = [
        ("localdynamic", ThreadModel::LocalDynamic),
        ("initialexec", ThreadModel::InitialExec),
        ("localexec", ThreadModel::LocalExec),
    ];
}

/// What all code of a module is compiled for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// What it is linked into.
    pub model: RelocationModel,
    /// `-fpic` and `-fpie`: a table of addresses that is small. It is only passed on; code is the same.
    pub small: bool,
}

/// What is asked of a module besides what it says itself.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// What it is compiled for.
    pub position: Option<Position>,
    /// The least that is done for thread-local data.
    pub threads: ThreadModel,
    /// The visibility of definitions for which the module states none.
    pub visibility: Visibility,
}

/// What other programs and libraries may do with a name (`STV_*`).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// See it and put another in its place.
    #[default]
    Default,
    /// See it.
    Protected,
    /// Nothing.
    Hidden,
}

impl Visibility {
    /// ELF's number.
    pub(crate) fn number(self) -> u8 {
        [0, 3, 2][self as usize]
    }

    /// LLVM's word and the assembler's; of the default nothing.
    pub(crate) fn name(self) -> &'static str {
        ["", "protected", "hidden"][self as usize]
    }
}

/// Who sees a name.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// See `Visibility`.
    pub visibility: Visibility,
    /// The text states that it is in the same program or library as the code (`dso_local`).
    pub local: bool,
}

impl Scope {
    /// What two declarations of a name say together.
    pub fn with(self, other: Scope) -> Scope {
        Scope { visibility: self.visibility.max(other.visibility), local: self.local || other.local }
    }
}

impl Func {
    /// Other objects see it.
    pub(crate) fn is_shared(&self) -> bool {
        self.linkage != Linkage::Internal && !self.kept
    }
}

impl Global {
    /// As of functions.
    pub(crate) fn is_shared(&self) -> bool {
        self.linkage != Linkage::Internal && !self.kept
    }
}

impl Env {
    /// True if code is as far from this as it was when linked, wherever it runs.
    pub fn is_local(&self, global: GlobalId) -> bool {
        let row = &self.globals[global];
        let (linkage, is_shared, scope) = match row.func.get() {
            Some(func) => {
                let func = &self.funcs[func];
                (func.linkage, func.is_shared(), func.scope)
            }
            None => (row.linkage, row.is_shared(), row.scope),
        };
        let is_here = scope.local || !is_shared || scope.visibility != Visibility::Default;
        match self.position.model {
            RelocationModel::Static => true,
            RelocationModel::Pie => is_here || linkage != Linkage::Declared,
            RelocationModel::Pic => is_here,
        }
    }

    /// How the address of thread-local data is found.
    pub fn thread_model(&self, global: GlobalId) -> ThreadModel {
        let row = &self.globals[global];
        // Of an object without a model nothing is known but that it is linked with a program: libraries are made of such, too.
        let is_local = match self.position.model {
            RelocationModel::Static => {
                row.scope.local || !row.is_shared() || row.scope.visibility != Visibility::Default
            }
            _ => self.is_local(global),
        };
        let least = match (self.position.model, is_local) {
            (RelocationModel::Pic, false) => ThreadModel::GeneralDynamic,
            (RelocationModel::Pic, true) => ThreadModel::LocalDynamic,
            (_, false) => ThreadModel::InitialExec,
            (_, true) => ThreadModel::LocalExec,
        };
        least.max(row.model)
    }

    /// Does what is asked. What was local because a program was meant is not in a library, and what is only declared not in a
    /// program that is linked with libraries (what is defined there is local anyway).
    pub fn place(&mut self, asked: &Asked) {
        let Asked { position, threads, visibility } = *asked;
        if let Some(position) = position {
            self.set_position(position);
        }
        if threads != ThreadModel::default() {
            let rows = self.globals.as_mut_slice().iter_mut();
            rows.filter(|row| row.thread).for_each(|row| row.model = row.model.max(threads));
        }
        if visibility != Visibility::Default {
            let is_shown = |linkage| matches!(linkage, Linkage::External | Linkage::Weak);
            let globals = self.globals.as_mut_slice().iter_mut().filter(|row| is_shown(row.linkage));
            let globals = globals.map(|row| &mut row.scope.visibility);
            let funcs = self.funcs.as_mut_slice().iter_mut().filter(|row| is_shown(row.linkage));
            let scopes = globals.chain(funcs.map(|row| &mut row.scope.visibility));
            scopes.for_each(|of| *of = visibility.max(*of));
        }
    }

    fn set_position(&mut self, position: Position) {
        let model = position.model;
        if model > self.position.model {
            self.globals.as_mut_slice().iter_mut().for_each(|row| row.scope.local = false);
            self.funcs.as_mut_slice().iter_mut().for_each(|row| row.scope.local = false);
        }
        self.position = position;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Image, Shape, Type};

    /// A program with one datum of each kind: declared, defined, weak, internal, hidden, `dso_local`.
    fn env(model: RelocationModel) -> (Env, Vec<GlobalId>) {
        let mut env = Env::default();
        env.position.model = model;
        let (hidden, local) = (
            Scope { visibility: Visibility::Hidden, local: false },
            Scope { local: true, ..Scope::default() },
        );
        let rows = [
            (Linkage::Declared, Scope::default()),
            (Linkage::External, Scope::default()),
            (Linkage::Weak, Scope::default()),
            (Linkage::Internal, Scope::default()),
            (Linkage::Declared, hidden),
            (Linkage::Declared, local),
        ];
        let globals = rows.into_iter().enumerate().map(|(k, (linkage, scope))| {
            let name = env.names.intern(&format!("g{k}"));
            let row = Global::new(name, Shape::scalar(Type::I32), false, linkage, Image::default());
            env.globals.push(Global { scope, thread: true, ..row })
        });
        let globals = globals.collect();
        (env, globals)
    }

    #[test]
    fn what_is_local_depends_on_what_is_linked() {
        for (model, expected) in [
            (RelocationModel::Static, [true; 6]),
            (RelocationModel::Pie, [false, true, true, true, true, true]),
            (RelocationModel::Pic, [false, false, false, true, true, true]),
        ] {
            let (env, globals) = env(model);
            assert_eq!(globals.iter().map(|&g| env.is_local(g)).collect::<Vec<_>>(), expected, "{model:?}");
        }
    }

    #[test]
    fn thread_models_are_those_of_llvm() {
        use ThreadModel::{GeneralDynamic as G, InitialExec as I, LocalDynamic as D, LocalExec as L};
        for (model, expected) in [
            (RelocationModel::Static, [I, I, I, L, L, L]),
            (RelocationModel::Pie, [I, L, L, L, L, L]),
            (RelocationModel::Pic, [G, G, G, D, D, D]),
        ] {
            let (mut env, globals) = env(model);
            let of = |env: &Env| globals.iter().map(|&g| env.thread_model(g)).collect::<Vec<_>>();
            assert_eq!(of(&env), expected, "{model:?}");
            env.place(&Asked { threads: I, ..Asked::default() });
            assert!(of(&env).iter().zip(expected).all(|(&is, was)| is == was.max(I)), "{model:?}");
        }
    }

    #[test]
    fn a_library_drops_what_was_local_to_a_program() {
        let (mut env, globals) = env(RelocationModel::Pie);
        env.place(&Asked {
            position: Some(Position { model: RelocationModel::Pic, small: false }),
            ..Asked::default()
        });
        assert!(!env.is_local(globals[5]) && env.is_local(globals[4]) && env.is_local(globals[3]));
    }
}
