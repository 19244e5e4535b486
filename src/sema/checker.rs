//! The sweep: one step per row, in row order, with the tables that the steps share.
//!
//! A `Checker` owns the node columns of its tree, the symbols from `symbol_base` on and the dimensions from
//! `dim_base` on; what lies before is shared and read only. The first owns everything that is global, later
//! ones a function's body each. State between rows is what scopes, loops and the current declaration need, on
//! stacks.

use super::flow::Flow;
use super::init::Inits;
use super::runtime::Library;
use super::scope::Scopes;
use super::symbol::{Sym, Symbol};
use super::ty::{Class, Const, Dim, DimRow, Scalar, Ty, TyView, type_name};
use super::warning::{Warning, WarningSet};
use crate::base::{Handle, Interner, Name};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};
use crate::syntax::token::{Token, TokenKind, Tokens};
use crate::syntax::tree::{Node, NodeKind, Tree};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// What all checkers read.
#[derive(Copy, Clone)]
pub(super) struct Input<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) tokens: &'a Tokens,
    pub(super) tree: &'a Tree,
    pub(super) names: &'a Interner,
    pub(super) library: &'static Library,
    pub(super) warnings: WarningSet,
    /// Per shared symbol: the `READ`, `WRITTEN` and `REPORTED` bits; empty while globals are checked. Bits
    /// are only ever set, so order does not matter.
    pub(super) flags: &'a [AtomicU8],
    /// True if there may be other sources.
    pub(super) part: bool,
    /// True if there was an error before the checks: of the lexer or the parser.
    pub(super) broken: bool,
    /// The body is checked for what it returns; what there is to say is said later.
    pub(super) infers: bool,
}

/// What was checked before and is read only now; empty while globals are checked.
#[derive(Copy, Clone)]
pub(super) struct Shared<'a> {
    pub(super) symbols: &'a [Symbol],
    pub(super) dims: &'a [DimRow],
    pub(super) inits: Option<&'a Inits>,
}

/// What a checker writes. Symbols and dimensions are added as they are declared.
pub(super) struct Owned<'a> {
    pub(super) class: &'a mut [Class],
    pub(super) data: &'a mut [u32],
    pub(super) symbols: &'a mut Vec<Symbol>,
    pub(super) dims: &'a mut Vec<DimRow>,
    /// Per own symbol: the same bits as in `Input::flags`.
    pub(super) flags: &'a mut Vec<u8>,
    pub(super) symbol_base: usize,
    pub(super) dim_base: usize,
}

/// The symbol was read, or called.
pub(super) const READ: u8 = 1;
/// The symbol was given a value.
pub(super) const WRITTEN: u8 = 2;
/// Its missing value was reported.
pub(super) const REPORTED: u8 = 4;
/// What was declared has been defined.
pub(super) const DEFINED: u8 = 8;

/// The declaration being read.
pub(super) struct Declaration {
    pub(super) is_const: bool,
    pub(super) base: Ty,
    pub(super) is_tensor: bool,
    pub(super) sym: Sym,
    /// Its first dimension.
    pub(super) dims: usize,
    /// False once a dimension was in error.
    pub(super) ok: bool,
    /// True while what is read has to be constant, and its user reports it if it is not.
    pub(super) wants_constant: bool,
}

/// An `if` being read: whether its parts can be reached at their end.
pub(super) struct IfFrame {
    pub(super) entry: bool,
    pub(super) then_end: bool,
    pub(super) has_else: bool,
    pub(super) truth: Option<bool>,
}

/// A loop being read.
pub(super) struct LoopFrame {
    /// Its `WhileStart` row, plus one.
    pub(super) id: u32,
    pub(super) entry: bool,
    pub(super) endless: bool,
    pub(super) breaks: bool,
    /// There is a way to the step of a `for` and the condition of a `do` by `continue`.
    pub(super) goes_on: bool,
}

/// The state of a sweep.
pub(super) struct Checker<'a> {
    pub(super) input: Input<'a>,
    pub(super) shared: Shared<'a>,
    pub(super) own: Owned<'a>,
    pub(super) inits: Inits,
    pub(super) diags: Diagnostics,
    pub(super) scopes: Scopes,
    /// True if it matters whether local variables and parameters are read and written: if a warning about it
    /// is on.
    pub(super) tracks: bool,
    pub(super) decl: Declaration,
    /// The function whose body is read; nothing declared behind it is in view.
    pub(super) function: Option<Sym>,
    /// The shared symbols behind it.
    pub(super) hidden: Range<usize>,
    /// The function's outermost `BlockStart` and `Block`, which share the scope of the parameters.
    pub(super) outermost: (Node, Node),
    pub(super) in_signature: bool,
    /// The item is a prototype; it begins with `extern`.
    pub(super) is_prototype: bool,
    pub(super) is_extern: bool,
    /// Symbols that were declared before, and as what: the first declaration of that name.
    pub(super) same: Vec<(Sym, Sym)>,
    pub(super) reachable: bool,
    pub(super) ifs: Vec<IfFrame>,
    pub(super) loops: Vec<LoopFrame>,
    /// The tables of `flow`.
    pub(super) flow: Option<Box<Flow>>,
    /// Arguments of a call, or events of an initialiser; empty between rows.
    pub(super) scratch: Vec<Node>,
}

impl<'a> Checker<'a> {
    /// At the start of a sweep, with tables that may have memory.
    pub(super) fn new(
        input: Input<'a>,
        shared: Shared<'a>,
        own: Owned<'a>,
        scopes: Scopes,
        inits: Inits,
    ) -> Self {
        let none = Sym::new(0);
        Checker {
            input,
            shared,
            own,
            inits,
            diags: Diagnostics::default(),
            scopes,
            tracks: [Warning::Uninitialized, Warning::UnusedVariable, Warning::UnusedParameter]
                .iter()
                .any(|&warning| input.warnings.has(warning)),
            decl: Declaration {
                is_const: false,
                base: Ty::INT,
                is_tensor: false,
                sym: none,
                dims: 0,
                ok: true,
                wants_constant: false,
            },
            function: None,
            hidden: 0..0,
            outermost: (Node::new(0), Node::new(0)),
            in_signature: false,
            is_prototype: false,
            is_extern: false,
            same: Vec::new(),
            reachable: true,
            ifs: Vec::new(),
            loops: Vec::new(),
            flow: None,
            scratch: Vec::new(),
        }
    }

    /// Reads the rows `first..=last` in order.
    pub(super) fn sweep(&mut self, first: Node, last: Node) {
        let tree: &'a Tree = self.input.tree;
        let kinds = &tree.kind.as_slice()[..=last.index()];
        let tokens = &tree.token.as_slice()[..=last.index()];
        let mut row = first.index();
        while let (Some(&kind), Some(&token)) = (kinds.get(row), tokens.get(row)) {
            self.step(Node::new(row), kind, token);
            row += 1;
            // The mark in front of a subscript says nothing here.
            if matches!(kind, NodeKind::Name | NodeKind::Index) {
                row += usize::from(kinds.get(row) == Some(&NodeKind::IndexStart));
            }
        }
    }

    #[inline(always)]
    fn step(&mut self, n: Node, kind: NodeKind, token: Token) {
        match kind {
            NodeKind::ExternStart => self.extern_start(n),
            NodeKind::FuncDecl => self.func_decl(n),
            NodeKind::DeclStart => self.decl.is_const = self.token_kind(n) == TokenKind::Const,
            NodeKind::Type => self.base_type(n),
            NodeKind::DeclName => self.decl_name(n),
            NodeKind::Dim => self.dim(n),
            NodeKind::EmptyDim => self.push_dim(0),
            NodeKind::Declarator => self.declarator(n),
            NodeKind::VarDef => self.var_def(n),
            NodeKind::FuncStart => self.func_start(n),
            NodeKind::Param => self.param(n),
            NodeKind::FuncSignature => self.func_signature(n),
            NodeKind::FuncDef => self.func_def(n),
            NodeKind::BlockStart => self.block_start(n),
            NodeKind::Block => self.block(n),
            NodeKind::AssignStart => self.assign_start(n),
            NodeKind::Assign => self.assign(n),
            NodeKind::ExprStmt => self.expr_stmt(n),
            NodeKind::IfCond => self.if_cond(n),
            NodeKind::ElseStart => self.else_start(),
            NodeKind::Empty => self.empty(n),
            NodeKind::If => self.if_end(n),
            NodeKind::WhileStart | NodeKind::ForStart => self.while_start(n),
            NodeKind::WhileCond => self.while_cond(n),
            NodeKind::While => self.while_end(),
            NodeKind::StepStart => self.step_start(),
            NodeKind::For => self.while_end(),
            NodeKind::DoStart => self.do_start(n),
            NodeKind::DoCond => self.do_cond(n),
            NodeKind::Do => self.do_end(),
            NodeKind::Old => self.old(n),
            NodeKind::One => self.set_const(n, Const::Int(1)),
            NodeKind::Break => self.break_out(n),
            NodeKind::Continue => self.go_on(n),
            NodeKind::Return => self.return_(n),
            NodeKind::IntLiteral => self.int_literal(n, token),
            NodeKind::FloatLiteral => self.float_literal(n, token),
            NodeKind::StringLiteral => self.set(n, Class::Text, 0),
            NodeKind::Name => self.name(n, token),
            NodeKind::Index => self.index(n),
            NodeKind::CallStart => self.call_start(n),
            NodeKind::Call => self.call(n),
            NodeKind::Paren => self.paren(n),
            NodeKind::Unary => self.unary(n),
            NodeKind::Binary => self.binary(n, token),
            NodeKind::And | NodeKind::Or => self.logical(n),
            NodeKind::Error => self.error_row(n),
            NodeKind::InitStart
            | NodeKind::InitListStart
            | NodeKind::InitList
            | NodeKind::Decl
            | NodeKind::ParamsStart
            | NodeKind::IfStart
            | NodeKind::IndexStart
            | NodeKind::AndLhs
            | NodeKind::OrLhs => {}
        }
    }

    /// What the parser could not read, and has reported. It fits everywhere; a name that it declares, too.
    #[cold]
    fn error_row(&mut self, n: Node) {
        if self.input.tree.size[n] > 1 && self.kind(self.before(n)) == NodeKind::DeclName {
            self.error_name();
        } else if let Some(function) = self.function.filter(|_| self.in_signature) {
            self.symbol_mut(function).known = false;
        }
        self.set(n, Class::Error, 0);
    }

    // ---- Rows and tables ----------------------------------------------------------------------------------

    pub(super) fn kind(&self, n: Node) -> NodeKind {
        self.input.tree.kind[n]
    }

    /// The kind of the row behind `n`.
    pub(super) fn next_kind(&self, n: Node) -> Option<NodeKind> {
        self.input.tree.kind.get(Node::new(n.index() + 1)).copied()
    }

    /// The row before `n`: its last child, if it has any.
    pub(super) fn before(&self, n: Node) -> Node {
        Node::new(n.index() - 1)
    }

    /// The row before the whole subtree of `n`: its elder sibling, if it has one.
    pub(super) fn elder(&self, n: Node) -> Node {
        Node::new(n.index() - self.input.tree.size[n] as usize)
    }

    pub(super) fn set(&mut self, n: Node, class: Class, data: u32) {
        let k = n.index();
        self.own.class[k] = class;
        self.own.data[k] = data;
    }

    pub(super) fn set_symbol(&mut self, n: Node, sym: Sym) {
        self.set(n, Class::Symbol, sym.index() as u32);
    }

    pub(super) fn set_type(&mut self, n: Node, ty: Ty) {
        let (class, data) = match ty.view() {
            TyView::Error => (Class::Error, 0),
            TyView::Void => (Class::Void, 0),
            TyView::Text => (Class::Text, 0),
            TyView::Scalar(Scalar::Int) => (Class::Int, 0),
            TyView::Scalar(Scalar::Float) => (Class::Float, 0),
            TyView::Array(Scalar::Int, dim) => (Class::IntArray, dim.index() as u32),
            TyView::Array(Scalar::Float, dim) => (Class::FloatArray, dim.index() as u32),
        };
        self.set(n, class, data);
    }

    pub(super) fn set_const(&mut self, n: Node, value: Const) {
        let class = if value.scalar() == Scalar::Int { Class::ConstInt } else { Class::ConstFloat };
        self.set(n, class, value.bits());
    }

    /// The name that a row's token is.
    #[inline(always)]
    pub(super) fn name_of(&self, n: Node) -> Name {
        self.input.tokens.name(self.input.tree.token[n])
    }

    /// The class of a row.
    #[inline(always)]
    pub(super) fn class(&self, n: Node) -> Class {
        self.own.class[n.index()]
    }

    /// Sets a class that says everything.
    #[inline(always)]
    pub(super) fn set_class(&mut self, n: Node, class: Class) {
        self.own.class[n.index()] = class;
    }

    /// What the class of a row says.
    #[inline(always)]
    pub(super) fn data(&self, n: Node) -> u32 {
        self.own.data[n.index()]
    }

    /// The symbol of a row that is a name.
    pub(super) fn symbol_of(&self, n: Node) -> Option<Sym> {
        self.class(n).is_symbol().then(|| Sym::new(self.data(n) as usize))
    }

    pub(super) fn symbol(&self, sym: Sym) -> &Symbol {
        match sym.index().checked_sub(self.own.symbol_base) {
            Some(k) => &self.own.symbols[k],
            None => &self.shared.symbols[sym.index()],
        }
    }

    /// The number of the symbol that is declared next.
    pub(super) fn next_sym(&self) -> usize {
        self.own.symbol_base + self.own.symbols.len()
    }

    /// The number of the next dimension.
    pub(super) fn next_dim(&self) -> usize {
        self.own.dim_base + self.own.dims.len()
    }

    pub(super) fn symbol_mut(&mut self, sym: Sym) -> &mut Symbol {
        &mut self.own.symbols[sym.index() - self.own.symbol_base]
    }

    pub(super) fn dim_row(&self, dim: Dim) -> DimRow {
        match dim.index().checked_sub(self.own.dim_base) {
            Some(k) => self.own.dims[k],
            None => self.shared.dims[dim.index()],
        }
    }

    /// The type of an expression.
    pub(super) fn ty(&self, n: Node) -> Ty {
        self.class(n).ty(self.data(n), |sym| self.symbol(sym).ty)
    }

    /// The value of an expression, if it is constant.
    pub(super) fn constant(&self, n: Node) -> Option<Const> {
        self.class(n).constant(|| self.data(n), |sym| self.symbol(sym).constant())
    }

    /// Sets bits of a symbol; true if they were all set before.
    #[inline]
    pub(super) fn flag(&mut self, sym: Sym, bits: u8) -> bool {
        if let Some(flags) = self.input.flags.get(sym.index()) {
            let had = flags.load(Ordering::Relaxed) & bits == bits;
            if !had {
                flags.fetch_or(bits, Ordering::Relaxed);
            }
            return had;
        }
        let flags = &mut self.own.flags[sym.index() - self.own.symbol_base];
        let had = *flags & bits == bits;
        *flags |= bits;
        had
    }

    #[inline]
    pub(super) fn has_flag(&self, sym: Sym, bits: u8) -> bool {
        let flags = match self.input.flags.get(sym.index()) {
            Some(flags) => flags.load(Ordering::Relaxed),
            None => self.own.flags[sym.index() - self.own.symbol_base],
        };
        flags & bits != 0
    }

    // ---- Text and places ----------------------------------------------------------------------------------

    pub(super) fn token_kind(&self, n: Node) -> TokenKind {
        self.input.tokens.kind[self.input.tree.token[n]]
    }

    /// The name of a symbol, for messages: its first part, if it is very long, because they may repeat it
    /// often.
    pub(super) fn text(&self, sym: Sym) -> &'a str {
        self.name_text(self.symbol(sym).name)
    }

    /// A name, for messages, cut likewise.
    pub(super) fn name_text(&self, name: Name) -> &'a str {
        let text = self.input.names.text(name);
        text.get(..200).unwrap_or(text)
    }

    /// The place of a node's own token.
    pub(super) fn at(&self, n: Node) -> Span {
        self.input.tokens.span(&self.input.file.text, self.input.tree.token[n])
    }

    /// The place of a whole expression with the brackets that close it, or of its own token if it is long.
    pub(super) fn span(&self, n: Node) -> Span {
        /// Rows and tokens looked at.
        const LONGEST: usize = 64;
        let Input { file, tokens, tree, .. } = self.input;
        let own = self.at(n);
        if tree.size[n] as usize > LONGEST {
            return own;
        }
        let (mut first, mut last) = (tree.token[n].index(), tree.token[n].index());
        for row in (tree.first(n).index()..=n.index()).map(Node::new) {
            let token = tree.token[row].index();
            first = first.min(token);
            // A call has a bracket behind its name.
            last = last.max(token + usize::from(tree.kind[row] == NodeKind::Call));
        }
        let mut open = 0;
        for (token, kind) in
            (first..tokens.kind.len()).take(4 * LONGEST).map(|k| (k, tokens.kind[Token::new(k)]))
        {
            match kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => open += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => open -= 1,
                _ => {}
            }
            if token >= last && open <= 0 {
                let end = tokens.span(&file.text, Token::new(token)).end;
                return Span { start: tokens.start[Token::new(first)], end };
            }
        }
        own
    }

    /// Where a symbol is declared.
    pub(super) fn declared_at(&self, sym: Sym) -> Option<Span> {
        self.symbol(sym).span(&self.input.file.text)
    }

    /// Adds where the symbol is declared.
    pub(super) fn with_declaration(&self, diagnostic: Diagnostic, sym: Sym) -> Diagnostic {
        match self.declared_at(sym) {
            Some(span) => diagnostic.secondary(span, format!("'{}' is declared here", self.text(sym))),
            None => diagnostic,
        }
    }

    /// Reports something, and where the symbol is declared that it is about.
    pub(super) fn report_about(&mut self, diagnostic: Diagnostic, sym: Sym) {
        let diagnostic = self.with_declaration(diagnostic, sym);
        self.diags.push(diagnostic);
    }

    pub(super) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::error(code, span, message));
    }

    pub(super) fn warns(&self, warning: Warning) -> bool {
        self.input.warnings.has(warning)
    }

    /// A type as it is written: `int`, `float[2][3]`, `int[][4]`.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        type_name(ty, |dim| self.dim_row(dim))
    }
}
