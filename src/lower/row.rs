//! What to do at a row of the tree: it follows from the row's kind and, for what may be known or be a
//! variable, from its class. Both are looked up together, so that one jump leads to the code. Measured: the
//! two jumps that this was before cost more in wrong guesses than in instructions.

use crate::sema::Class;
use crate::syntax::tree::NodeKind;

/// What a row asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Row {
    /// Nothing: the row marks a place that does not matter here, or changes nothing as parentheses do.
    Nothing,
    /// The name of a variable that holds a number.
    Variable,
    /// A literal, or a constant's name where its value is known.
    Int,
    Float,
    /// Any other name.
    Name,
    /// A leaf without a meaning.
    NoLeaf,
    String,
    Index,
    /// An element that is constant.
    ConstIndex,
    CallStart,
    Call,
    Unary,
    Binary,
    /// An operation that is constant.
    ConstUnary,
    ConstBinary,
    AndLhs,
    OrLhs,
    And,
    Or,
    /// `&&` or `||` that is constant.
    ConstAnd,
    ConstOr,
    Assign,
    ExprStmt,
    Declarator,
    VarDef,
    WhileStart,
    InitStart,
    /// Changes where the sweep has to stop.
    Control,
    /// The value of the target.
    Old,
    /// Computes with tensors.
    Tensor,
}

const KINDS: usize = NodeKind::Error as usize + 1;
const CLASSES: usize = 16;

/// Kinds, what they ask for, and what they ask for where they are constant.
const BY_KIND: [(NodeKind, Row, Row); 31] = [
    (NodeKind::StringLiteral, Row::String, Row::String),
    (NodeKind::Index, Row::Index, Row::ConstIndex),
    (NodeKind::CallStart, Row::CallStart, Row::CallStart),
    (NodeKind::Call, Row::Call, Row::Call),
    (NodeKind::Unary, Row::Unary, Row::ConstUnary),
    (NodeKind::Binary, Row::Binary, Row::ConstBinary),
    (NodeKind::AndLhs, Row::AndLhs, Row::AndLhs),
    (NodeKind::OrLhs, Row::OrLhs, Row::OrLhs),
    (NodeKind::And, Row::And, Row::ConstAnd),
    (NodeKind::Or, Row::Or, Row::ConstOr),
    (NodeKind::Assign, Row::Assign, Row::Assign),
    (NodeKind::ExprStmt, Row::ExprStmt, Row::ExprStmt),
    (NodeKind::Declarator, Row::Declarator, Row::Declarator),
    (NodeKind::VarDef, Row::VarDef, Row::VarDef),
    (NodeKind::WhileStart, Row::WhileStart, Row::WhileStart),
    (NodeKind::InitStart, Row::InitStart, Row::InitStart),
    (NodeKind::IfCond, Row::Control, Row::Control),
    (NodeKind::ElseStart, Row::Control, Row::Control),
    (NodeKind::If, Row::Control, Row::Control),
    (NodeKind::WhileCond, Row::Control, Row::Control),
    (NodeKind::While, Row::Control, Row::Control),
    (NodeKind::ForStart, Row::Control, Row::Control),
    (NodeKind::StepStart, Row::Control, Row::Control),
    (NodeKind::For, Row::Control, Row::Control),
    (NodeKind::DoStart, Row::Control, Row::Control),
    (NodeKind::DoCond, Row::Control, Row::Control),
    (NodeKind::Do, Row::Control, Row::Control),
    (NodeKind::Old, Row::Old, Row::Old),
    (NodeKind::Break, Row::Control, Row::Control),
    (NodeKind::Continue, Row::Control, Row::Control),
    (NodeKind::Return, Row::Control, Row::Control),
];

/// What a leaf of an expression asks for, by its class.
const LEAVES: [Row; CLASSES] = {
    let mut leaves = [Row::NoLeaf; CLASSES];
    leaves[Class::IntVariable as usize] = Row::Variable;
    leaves[Class::FloatVariable as usize] = Row::Variable;
    leaves[Class::ConstInt as usize] = Row::Int;
    leaves[Class::ConstFloat as usize] = Row::Float;
    leaves[Class::Symbol as usize] = Row::Name;
    leaves[Class::Tensor as usize] = Row::Tensor;
    leaves
};

static ROWS: [[Row; CLASSES]; KINDS] = {
    let mut rows = [[Row::Nothing; CLASSES]; KINDS];
    let mut k = 0;
    while k < BY_KIND.len() {
        let (kind, row, constant) = BY_KIND[k];
        rows[kind as usize] = [row; CLASSES];
        rows[kind as usize][Class::ConstInt as usize] = constant;
        rows[kind as usize][Class::ConstFloat as usize] = constant;
        k += 1;
    }
    let tensors = [NodeKind::Unary, NodeKind::Binary, NodeKind::Call, NodeKind::Assign];
    let mut k = 0;
    while k < tensors.len() {
        rows[tensors[k] as usize][Class::IntArray as usize] = Row::Tensor;
        rows[tensors[k] as usize][Class::FloatArray as usize] = Row::Tensor;
        k += 1;
    }
    rows[NodeKind::IntLiteral as usize] = LEAVES;
    rows[NodeKind::FloatLiteral as usize] = LEAVES;
    rows[NodeKind::One as usize] = LEAVES;
    rows[NodeKind::Name as usize] = LEAVES;
    rows
};

/// What a row of this kind and class asks for.
#[inline(always)]
pub(super) fn row_of(kind: NodeKind, class: Class) -> Row {
    ROWS[kind as usize][class as usize]
}

/// Per kind: how many rows from one of it on ask for nothing, whatever their class. Two fifths of all rows
/// do; to step over them costs a look at this, and a jump for each would often be a wrong guess.
static SKIPPED: [u8; KINDS] = {
    let mut skipped = [0; KINDS];
    let mut kind = 0;
    while kind < KINDS {
        skipped[kind] = (ROWS[kind][Class::None as usize] as u8 == Row::Nothing as u8) as u8;
        kind += 1;
    }
    // With the type and the first name, which always follow.
    skipped[NodeKind::DeclStart as usize] = 3;
    skipped
};

/// How many rows to step over where a row of this kind is the next.
#[inline(always)]
pub(super) fn skipped(next: NodeKind) -> usize {
    SKIPPED[next as usize].into()
}
