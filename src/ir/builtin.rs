//! What languages ask of machines that is neither arithmetic nor a plain access: memory of a size that is known when the
//! program runs. An instruction of this kind is a call of a declared function that stands for it, and so is all that
//! passes have to know: nothing is known of what the call does, so it stays where it is, as often as it is there, and
//! nothing in memory that others may see is known behind it. The text has LLVM's instructions (`print`, `parse/stack`),
//! the interpreters and selection ask which one it is.

/// Which one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builtin {
    /// So many bytes on the stack (a number as wide as an address), up to where `StackRestore` or the end of the
    /// function gives them back; each time it is executed. What they are aligned to.
    StackAlloc(u32),
    /// Where the stack ends: what `StackRestore` takes.
    StackSave,
    /// Gives back what has been taken since then.
    StackRestore,
}

impl Builtin {
    /// The name of the function that stands for it: one for each, and for none else.
    pub fn name(self) -> String {
        match self {
            Builtin::StackAlloc(align) => format!(".alloca.{align}"),
            Builtin::StackSave => ".stacksave".to_string(),
            Builtin::StackRestore => ".stackrestore".to_string(),
        }
    }

    /// The function of LLVM's that the text calls, if there is one.
    pub fn function(self) -> Option<&'static str> {
        match self {
            Builtin::StackSave => Some("llvm.stacksave.p0"),
            Builtin::StackRestore => Some("llvm.stackrestore.p0"),
            Builtin::StackAlloc(_) => None,
        }
    }

    /// True if memory taken by a function with it would pile up where the function's code is executed again without
    /// being entered again.
    pub fn takes_stack(self) -> bool {
        matches!(self, Builtin::StackAlloc(_))
    }
}
