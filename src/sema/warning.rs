//! Warning groups: the static table that the driver shows as `-W`, and the set of those that are on.

use crate::source::{Diagnostic, Severity, Span};

/// A group of warnings; the row of `GROUPS`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Warning {
    AggressiveLoopOptimizations,
    ArrayBounds,
    AssignNot,
    Braces,
    Comment,
    Comparison,
    CompoundAssignment,
    ConditionalUninitialized,
    ConstantCondition,
    ConstantConversion,
    ConstantLogicalOperand,
    DanglingElse,
    DivisionByZero,
    DoLoop,
    EmptyBody,
    Extern,
    FloatConversion,
    FloatLiteral,
    ForLoop,
    Format,
    IncompatibleArray,
    Increment,
    IncrementOperator,
    InfiniteLoop,
    IntLiteral,
    MisleadingIndentation,
    Overflow,
    Prototype,
    ReturnType,
    SelfAssign,
    Shadow,
    ShadowRuntime,
    SometimesUninitialized,
    StringEscape,
    TautologicalCompare,
    Tensor,
    Uninitialized,
    UnreachableCode,
    UnusedFunction,
    UnusedParameter,
    UnusedValue,
    UnusedVariable,
    VoidParameter,
}

impl Warning {
    /// A warning of the group: its code is the group's name.
    pub fn at(self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(GROUPS[self as usize].name, span, message)
    }
}

/// When a group is on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Unless it is turned off.
    Default,
    /// With `-Wall`.
    All,
    /// With `-Wextra`.
    Extra,
    /// With `-Wpedantic`: what strict SysY does not have.
    Pedantic,
    /// Only by its name.
    Named,
}

/// One group.
#[derive(Copy, Clone, Debug)]
pub struct WarningGroup {
    /// The group.
    pub warning: Warning,
    /// The name that `-W` and `-Wno-` take, and the code of its diagnostics.
    pub name: &'static str,
    /// When it is on.
    pub level: Level,
    /// One line of help.
    pub description: &'static str,
}

const fn row(warning: Warning, name: &'static str, level: Level, description: &'static str) -> WarningGroup {
    WarningGroup { warning, name, level, description }
}

/// All groups, in the order of `Warning`.
#[rustfmt::skip]
pub static GROUPS: [WarningGroup; 43] = [
    row(Warning::AggressiveLoopOptimizations, "aggressive-loop-optimizations", Level::All, "a subscript is outside of the array in a round of a loop that is certainly gone through"),
    row(Warning::ArrayBounds, "array-bounds", Level::Default, "a constant subscript is outside of the array"),
    row(Warning::AssignNot, "assign-not", Level::Default, "'=!' stands where '!=' was probably meant"),
    row(Warning::Braces, "braces", Level::All, "braces around the initialiser of a scalar"),
    row(Warning::Comment, "comment", Level::Default, "a backslash makes a '//' comment go on in the next line"),
    row(Warning::Comparison, "comparison", Level::Default, "a comparison of a truth value: 'a < b < c', '!a == b'"),
    row(Warning::CompoundAssignment, "compound-assignment", Level::Pedantic, "'+=', '-=', '*=', '/=' or '%='"),
    row(Warning::ConditionalUninitialized, "conditional-uninitialized", Level::Extra, "a variable may be read before it has a value"),
    row(Warning::ConstantCondition, "constant-condition", Level::Extra, "a condition always has the same value"),
    row(Warning::ConstantConversion, "constant-conversion", Level::Default, "a constant does not fit its type"),
    row(Warning::ConstantLogicalOperand, "constant-logical-operand", Level::Default, "a number beside '&&' or '||', which nothing compares"),
    row(Warning::DanglingElse, "dangling-else", Level::Default, "an 'else' is indented as another 'if' than its own"),
    row(Warning::DivisionByZero, "division-by-zero", Level::Default, "the divisor is the constant zero"),
    row(Warning::DoLoop, "do-loop", Level::Pedantic, "a 'do' loop"),
    row(Warning::EmptyBody, "empty-body", Level::Default, "an 'if' or a loop ends in ';'"),
    row(Warning::Extern, "extern", Level::Pedantic, "an 'extern' declaration"),
    row(Warning::FloatConversion, "float-conversion", Level::Default, "a float constant loses its fraction as an int"),
    row(Warning::FloatLiteral, "float-literal", Level::Default, "a floating literal is out of range"),
    row(Warning::ForLoop, "for-loop", Level::Pedantic, "a 'for' loop"),
    row(Warning::Format, "format", Level::Default, "the conversions of a format do not match the arguments"),
    row(Warning::IncompatibleArray, "incompatible-array", Level::Default, "an array argument has other inner dimensions"),
    row(Warning::Increment, "increment", Level::Default, "'++' or '--' where it is two signs and changes nothing"),
    row(Warning::IncrementOperator, "increment-operator", Level::Pedantic, "'++' or '--' as a statement"),
    row(Warning::InfiniteLoop, "infinite-loop", Level::All, "nothing in a loop can end it"),
    row(Warning::IntLiteral, "int-literal", Level::Default, "a decimal literal does not fit an int and wraps"),
    row(Warning::MisleadingIndentation, "misleading-indentation", Level::All, "a statement is indented as if it were in an 'if' or a loop"),
    row(Warning::Overflow, "overflow", Level::All, "an expression of constants does not fit an int and wraps"),
    row(Warning::Prototype, "prototype", Level::Pedantic, "a function prototype"),
    row(Warning::ReturnType, "return-type", Level::Default, "a function that returns a value can reach its end"),
    row(Warning::SelfAssign, "self-assign", Level::All, "a variable is assigned to itself"),
    row(Warning::Shadow, "shadow", Level::Named, "a declaration hides a variable or parameter around it"),
    row(Warning::ShadowRuntime, "shadow-runtime", Level::Default, "a definition hides a runtime function"),
    row(Warning::SometimesUninitialized, "sometimes-uninitialized", Level::All, "a variable has no value on one way to where it is read"),
    row(Warning::StringEscape, "string-escape", Level::Default, "a string literal holds an unknown escape"),
    row(Warning::TautologicalCompare, "tautological-compare", Level::All, "a variable is compared with itself"),
    row(Warning::Tensor, "tensor", Level::Pedantic, "a tensor, which SysY of 2022 does not have"),
    row(Warning::Uninitialized, "uninitialized", Level::Default, "a variable is read before it has a value"),
    row(Warning::UnreachableCode, "unreachable-code", Level::Named, "a statement stands where the program never comes"),
    row(Warning::UnusedFunction, "unused-function", Level::Extra, "a function is never called"),
    row(Warning::UnusedParameter, "unused-parameter", Level::Extra, "a parameter is never used"),
    row(Warning::UnusedValue, "unused-value", Level::Default, "a statement has no effect"),
    row(Warning::UnusedVariable, "unused-variable", Level::All, "a local variable is never used"),
    row(Warning::VoidParameter, "void-parameter", Level::Default, "an empty parameter list is written '(void)'"),
];

/// Which groups are on, and which of them are errors.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct WarningSet {
    on: u64,
    errors: u64,
}

impl Default for WarningSet {
    fn default() -> Self {
        let mut set = WarningSet { on: 0, errors: 0 };
        set.enable(Level::Default);
        set
    }
}

impl WarningSet {
    /// No warnings at all (`-w`).
    pub const NONE: WarningSet = WarningSet { on: 0, errors: 0 };

    fn enable(&mut self, level: Level) {
        for group in GROUPS.iter().filter(|group| group.level <= level) {
            self.on |= 1 << group.warning as u8;
        }
    }

    /// Without the groups about what a program does not do: a part of it that has a syntax error might have.
    pub fn of_broken_program(mut self) -> WarningSet {
        for warning in [
            Warning::AggressiveLoopOptimizations,
            Warning::ConditionalUninitialized,
            Warning::EmptyBody,
            Warning::InfiniteLoop,
            Warning::MisleadingIndentation,
            Warning::ReturnType,
            Warning::SometimesUninitialized,
            Warning::Uninitialized,
            Warning::UnreachableCode,
            Warning::UnusedFunction,
            Warning::UnusedParameter,
            Warning::UnusedValue,
            Warning::UnusedVariable,
        ] {
            self.on &= !(1 << warning as u8);
        }
        self
    }

    /// True if the group is on.
    #[inline]
    pub fn has(&self, warning: Warning) -> bool {
        self.on >> warning as u8 & 1 != 0
    }

    /// Applies what follows `-W`: `all`, `extra`, `pedantic`, `everything`, `error`, `error=group`, `group`, and any of them behind
    /// `no-`. False if there is no such group.
    pub fn apply(&mut self, flag: &str) -> bool {
        let (yes, flag) = match flag.strip_prefix("no-") {
            Some(rest) => (false, rest),
            None => (true, flag),
        };
        let set = |bits: &mut u64, mask: u64| *bits = if yes { *bits | mask } else { *bits & !mask };
        let mask_of =
            |name: &str| GROUPS.iter().find(|group| group.name == name).map(|group| 1 << group.warning as u8);
        let upto = |level| {
            let groups = GROUPS.iter().filter(|group: &&WarningGroup| group.level <= level);
            groups.fold(0u64, |mask, group| mask | 1 << group.warning as u8)
        };
        let pedantic = GROUPS
            .iter()
            .filter(|group| group.level == Level::Pedantic)
            .fold(0u64, |mask, group| mask | 1 << group.warning as u8);
        match flag {
            "all" => set(&mut self.on, upto(Level::All)),
            "extra" => set(&mut self.on, upto(Level::Extra)),
            "pedantic" => set(&mut self.on, pedantic),
            "everything" => set(&mut self.on, upto(Level::Named)),
            "error" => set(&mut self.errors, u64::MAX),
            _ => match flag.strip_prefix("error=") {
                Some("pedantic") => {
                    set(&mut self.errors, pedantic);
                    if yes {
                        self.on |= pedantic;
                    }
                }
                Some(name) => {
                    let Some(mask) = mask_of(name) else { return false };
                    set(&mut self.errors, mask);
                    if yes {
                        self.on |= mask;
                    }
                }
                None => {
                    let Some(mask) = mask_of(flag) else { return false };
                    set(&mut self.on, mask);
                }
            },
        }
        true
    }

    /// The severity of a warning whose code is `code`, or none if it is off: for
    /// `Diagnostics::choose_warnings`. A code that is no group stays a warning, and
    /// an error under `-Werror`.
    pub fn severity(&self, code: &str) -> Option<Severity> {
        let severity = |is_error: bool| if is_error { Severity::Error } else { Severity::Warning };
        match GROUPS.iter().find(|group| group.name == code) {
            Some(group) => {
                self.has(group.warning).then(|| severity(self.errors >> group.warning as u8 & 1 != 0))
            }
            None => Some(severity(self.errors == u64::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_number() {
        for (k, group) in GROUPS.iter().enumerate() {
            assert_eq!(group.warning as usize, k, "{}", group.name);
        }
    }

    #[test]
    fn flags_turn_groups_on_off_and_into_errors() {
        let mut set = WarningSet::default();
        assert!(!set.has(Warning::UnusedVariable) && set.has(Warning::ReturnType));
        assert!(set.apply("all") && set.has(Warning::UnusedVariable) && !set.has(Warning::UnusedParameter));
        assert!(!set.has(Warning::Shadow) && set.apply("shadow") && set.has(Warning::Shadow));
        assert!(set.apply("no-return-type") && set.severity("return-type").is_none());
        assert!(set.apply("error=format") && set.severity("format") == Some(Severity::Error));
        assert_eq!(set.severity("braces"), Some(Severity::Warning));
        assert!(set.apply("error") && set.severity("braces") == Some(Severity::Error));
        assert!(!set.apply("nonsense"));
    }
}
