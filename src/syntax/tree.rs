//! The syntax tree: postorder rows in columns, 9 bytes a node.
//!
//! ```text
//!   int f(int a[]) { if (a[0]) return 1; }
//!
//!   FuncStart · ParamStart Param(a) · FuncSignature · IfStart Name(a) IndexStart Int(0) Index IfCond Int(1) Return If · FuncDef
//! ```
//!
//! Children stand before their parent, so a node's subtree is the `size[n]` rows ending at `n`: its last
//! child is `n - 1`, and the child before child `c` is `c - size[c]`. Besides the nodes that own children
//! there are leaves that *mark* a place (`IfStart`, `AndLhs`, `BlockStart`): with them, one forward sweep
//! over the rows with an explicit stack does everything - checking, constant evaluation, lowering - and
//! nothing recurses on the depth of the input. (The idea of introducer nodes is Carbon's.)
//!
//! The parser never fails: where it skipped tokens there is an `Error` node, and a file with one is never
//! lowered.

use super::token::Token;
use crate::base::{Column, Handle};

crate::handle! {
    /// A node of the syntax tree.
    pub struct Node("n");
}

/// What a node is. Per kind: its children in order, then what `token` names.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum NodeKind {
    // ---- Declarations -------------------------------------------------------------------------------------
    /// Leaf that opens a declaration; `token`: `const`, or the base type where there is no `const`.
    DeclStart,
    /// Leaf that opens a declaration or prototype of what is defined elsewhere; `token`: `extern`.
    ExternStart,
    /// Leaf: the base type of a declaration, function or parameter; `token`: `int`, `float` or `void`.
    Type,
    /// Leaf that opens one declarator and brings its name into view; `token`: the name, or what stands where a
    /// parameter of a prototype has none.
    DeclName,
    /// One dimension of a declarator or parameter: its length; `token`: `[`.
    Dim,
    /// Declarator without initialiser: DeclName, Dim*; `token`: the name.
    Declarator,
    /// Leaf that stands between a declarator and its initialiser; `token`: `=`.
    InitStart,
    /// Leaf that opens a braced initialiser; `token`: `{`.
    InitListStart,
    /// Braced initialiser: InitListStart, (expression | InitList)*; `token`: `{`.
    InitList,
    /// One declared name: Declarator, then perhaps InitStart and (expression or InitList); `token`: the name.
    VarDef,
    /// Declaration: perhaps ExternStart, then DeclStart, Type, VarDef*; `token`: as DeclStart.
    Decl,

    // ---- Functions ----------------------------------------------------------------------------------------
    /// Leaf that opens a function definition and names it; `token`: the name.
    FuncStart,
    /// Leaf that opens a parameter list; `token`: `(`.
    ParamsStart,
    /// Leaf: the empty first dimension of an array parameter; `token`: `[`.
    EmptyDim,
    /// Parameter: Type, DeclName, then perhaps EmptyDim, Dim*; `token`: the name.
    Param,
    /// Signature: Type, FuncStart, ParamsStart, Param*; `token`: the name.
    FuncSignature,
    /// Function definition: FuncSignature, Block; `token`: the name.
    FuncDef,
    /// Prototype: perhaps ExternStart, then FuncSignature; `token`: the name.
    FuncDecl,

    // ---- Statements ---------------------------------------------------------------------------------------
    /// Leaf that opens a block and its scope; `token`: `{`, or `for`.
    BlockStart,
    /// Block: BlockStart, (Decl | statement)*, or the parts of a `for`; `token`: the closing `}` (or what stood in its place).
    Block,
    /// `LVal = expression;`: l-value (Name, Index), AssignStart, expression; `token`: `=`. `LVal += b` has a Binary of
    /// Old and b for its expression, `LVal++` one of Old and One; `token`: the operator.
    Assign,
    /// Leaf between the two sides of an assignment; `token`: as Assign.
    AssignStart,
    /// Leaf: the value of the target of the assignment so far; `token`: the operator.
    Old,
    /// Leaf: the int 1, of `++`, `--` and a `for` without a condition; `token`: what stands there.
    One,
    /// `expression;`: expression; `token`: `;`.
    ExprStmt,
    /// Leaf: `;` alone; `token`: `;`.
    Empty,
    /// Leaf; `token`: `if`.
    IfStart,
    /// The condition, checked and about to branch: expression; `token`: `(`.
    IfCond,
    /// Leaf between the two arms; `token`: `else`.
    ElseStart,
    /// IfStart, IfCond, statement, then perhaps ElseStart, statement; `token`: `if`.
    If,
    /// Leaf: here the loop comes back to; `token`: `while`.
    WhileStart,
    /// The condition, checked and about to branch: expression; `token`: `(`.
    WhileCond,
    /// WhileStart, WhileCond, statement; `token`: `while`.
    While,
    /// Leaf that opens a `for` behind its first part: here the loop comes back to; `token`: the `;`.
    ForStart,
    /// Leaf behind the body of a `for` or `do`: here `continue` goes to; `token`: the first of the step, or
    /// `while`.
    StepStart,
    /// ForStart, WhileCond, statement, StepStart, (Assign | ExprStmt)*: in a Block with its first part; `token`:
    /// the first of the step.
    For,
    /// Leaf: here the loop comes back to; `token`: `do`.
    DoStart,
    /// The condition, checked and about to branch: expression; `token`: `(`.
    DoCond,
    /// DoStart, statement, StepStart, DoCond; `token`: `do`.
    Do,
    /// Leaf; `token`: `break`.
    Break,
    /// Leaf; `token`: `continue`.
    Continue,
    /// An expression, or nothing; `token`: `return`.
    Return,

    // ---- Expressions --------------------------------------------------------------------------------------
    /// Leaf: an integer literal; `token`: its text.
    IntLiteral,
    /// Leaf: a floating literal; `token`: its text.
    FloatLiteral,
    /// Leaf: a string literal (only `putf` takes one); `token`: its text.
    StringLiteral,
    /// Leaf: a variable, constant or parameter; `token`: the name.
    Name,
    /// Leaf: the array before it is about to be indexed; `token`: `[`.
    IndexStart,
    /// `base[subscript]`: Name or Index, IndexStart, expression; `token`: `[`.
    Index,
    /// Leaf: the called name; `token`: the name.
    CallStart,
    /// Call: CallStart, expression*; `token`: the name.
    Call,
    /// Parenthesised: expression; `token`: `(`.
    Paren,
    /// Unary: expression; `token`: `+`, `-` or `!`.
    Unary,
    /// Binary operator without short circuit: expression, expression; `token`: the operator.
    Binary,
    /// The left side of `&&`, about to branch: expression; `token`: `&&`.
    AndLhs,
    /// AndLhs, expression; `token`: `&&`.
    And,
    /// The left side of `||`, about to branch: expression; `token`: `||`.
    OrLhs,
    /// OrLhs, expression; `token`: `||`.
    Or,

    // ---- Both ---------------------------------------------------------------------------------------------
    /// What could not be parsed, in place of an expression, a declarator with its initialiser, a parameter, a
    /// statement or a definition: anything; `token`: where it went wrong. A `DeclName` right before it is a
    /// name that was to be declared, so that its uses are no errors.
    Error,
}

/// The syntax tree of a file.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What the node is.
    pub kind: Column<Node, NodeKind>,
    /// The token the node is about; see `NodeKind`.
    pub token: Column<Node, Token>,
    /// Rows of the subtree, the node itself included.
    pub size: Column<Node, u32>,
}

impl Tree {
    /// Bytes of all columns.
    pub fn bytes(&self) -> usize {
        self.kind.bytes() + self.token.bytes() + self.size.bytes()
    }

    /// Drops all nodes and keeps the memory.
    pub fn clear(&mut self) {
        self.kind.clear();
        self.token.clear();
        self.size.clear();
    }

    /// Becomes the rows of one function of a whole file, from its signature, here a leaf, to its definition:
    /// what `parser::parse_body` makes of its text.
    pub fn copy_body(&mut self, whole: &Tree, signature: Node, def: Node) {
        self.clear();
        for n in (signature.index()..=def.index()).map(Node::new) {
            self.kind.push(whole.kind[n]);
            self.token.push(whole.token[n]);
            self.size.push(if n == signature { 1 } else { whole.size[n] });
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// First row of the subtree that ends at `node`.
    #[inline]
    pub fn first(&self, node: Node) -> Node {
        Node::new(node.index() + 1 - self.size[node] as usize)
    }

    /// The children of `node`, last to first. O(children).
    pub fn children_rev(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.siblings_rev(self.first(node).index(), node.index())
    }

    /// The top-level nodes (declarations, function definitions, errors), last to first.
    pub fn roots_rev(&self) -> impl Iterator<Item = Node> + '_ {
        self.siblings_rev(0, self.len())
    }

    fn siblings_rev(&self, first: usize, mut end: usize) -> impl Iterator<Item = Node> + '_ {
        std::iter::from_fn(move || {
            let node = (end > first).then(|| Node::new(end - 1))?;
            end -= self.size[node] as usize;
            Some(node)
        })
    }
}
