//! Expressions. When a row is reached its operands' classes are known; what is in error is `Class::Error`
//! from then on, and its uses say nothing more.

use super::checker::{Checker, READ, WRITTEN};
use super::fold;
use super::scope::Binding;
use super::symbol::{Sym, Symbol, SymbolKind};
use super::ty::{Class, Const, Dim, DimRow, FLOAT, INT, KNOWN, Scalar, Ty, TyView};
use super::warning::Warning;
use crate::base::{Handle, Name};
use crate::source::Diagnostic;
use crate::syntax::literal;
use crate::syntax::token::{SEE_TEXT, Token, TokenKind};
use crate::syntax::tree::{Node, NodeKind};

/// The class of a binary operator's result where it depends on the classes of its operands alone: two
/// numbers, of which at most one is known, and no division by a known one. Otherwise `None`. (Without this
/// fast path a compile at -O0 takes 3% more instructions.)
#[inline(always)]
fn usual_result(op: TokenKind, left: Class, right: Class) -> Class {
    /// Groups of operators: those below, comparisons, `/`, `%`, `@`.
    static GROUPS: [u8; 64] = {
        use TokenKind::*;
        let mut groups = [0; 64];
        let comparisons = [Less, LessEq, Greater, GreaterEq, EqEq, NotEq];
        let mut k = 0;
        while k < comparisons.len() {
            groups[comparisons[k] as usize] = 1;
            k += 1;
        }
        groups[Slash as usize] = 2;
        groups[Percent as usize] = 3;
        groups[At as usize] = 4;
        groups
    };
    /// Per group and shapes of the operands.
    static RESULTS: [[[Class; 8]; 8]; 8] = {
        // Of `@` nothing is usual.
        let mut results = [[[Class::None; 8]; 8]; 8];
        let shapes = [INT, FLOAT, INT | KNOWN, FLOAT | KNOWN];
        let mut k = 0;
        while k < 4 * 4 * 4 {
            let (group, a, b) = (k / 16, shapes[k / 4 % 4], shapes[k % 4]);
            let is_float = (a | b) & FLOAT != 0;
            let unusual = a & b & KNOWN != 0 || group > 1 && b & KNOWN != 0 || group == 3 && is_float;
            if !unusual {
                let float_result = is_float && group != 1;
                results[group][a as usize][b as usize] = if float_result { Class::Float } else { Class::Int };
            }
            k += 1;
        }
        results
    };
    let group = GROUPS[op as usize % 64] as usize;
    RESULTS[group % 8][left.shape() as usize % 8][right.shape() as usize % 8]
}

impl Checker<'_> {
    // ---- Uses of values -----------------------------------------------------------------------------------

    /// The type of an expression that has to be a number; reports it if it is none.
    pub(super) fn scalar(&mut self, n: Node) -> Option<Scalar> {
        match self.class(n).shape() & (INT | FLOAT) {
            INT => Some(Scalar::Int),
            FLOAT => Some(Scalar::Float),
            _ => self.unusual_scalar(n),
        }
    }

    fn unusual_scalar(&mut self, n: Node) -> Option<Scalar> {
        let ty = self.ty(n);
        match ty.view() {
            TyView::Scalar(scalar) => return Some(scalar),
            // Strings that are no arguments were the parser's to report.
            TyView::Error | TyView::Text => {}
            TyView::Void => self.report_void(n),
            TyView::Array(_, dim) if self.dim_row(dim).is_tensor => self.report_tensor(n, ty),
            TyView::Array(_, dim) => {
                let missing = self.dim_row(dim).rank;
                let found = format!("expected int or float, found {}", self.type_name(ty));
                let base = self.base_of(n);
                let message = match (self.kind(self.unwrapped(n)), base) {
                    (NodeKind::Index, Some(sym)) => {
                        let plural = if missing == 1 { "" } else { "s" };
                        format!(
                            "{missing} more subscript{plural} needed for an element of '{}'",
                            self.text(sym)
                        )
                    }
                    (_, Some(sym)) => format!("array '{}' is used as a number", self.text(sym)),
                    _ => "an array is used as a number".to_string(),
                };
                let mut diagnostic = Diagnostic::error("array-as-scalar", self.span(n), message).label(found);
                if let Some(sym) = base {
                    diagnostic = self.with_declaration(diagnostic, sym);
                }
                self.diags.push(diagnostic);
            }
        }
        None
    }

    fn report_void(&mut self, n: Node) {
        let call = self.unwrapped(n);
        let start = self.input.tree.first(call);
        let mut diagnostic =
            Diagnostic::error("void-value", self.span(n), "the value of a call that returns nothing is used");
        if let Some(sym) = self.symbol_of(start) {
            diagnostic.message = format!("'{}' returns nothing, but its value is used", self.text(sym));
            diagnostic = self.with_declaration(diagnostic, sym);
        }
        self.diags.push(diagnostic.label("expected int or float, found void"));
    }

    pub(super) fn report_string(&mut self, n: Node) {
        let diagnostic =
            Diagnostic::error("string-literal", self.at(n), "a string literal is used as a value");
        self.diags.push(diagnostic.note("only the first argument of 'putf' is a string"));
    }

    /// The node inside of any parentheses.
    pub(super) fn unwrapped(&self, mut n: Node) -> Node {
        while self.kind(n) == NodeKind::Paren {
            n = self.before(n);
        }
        n
    }

    /// The array that an `Index` subscripts.
    pub(super) fn subscripted(&self, index: Node) -> Node {
        self.before(self.elder(self.before(index)))
    }

    /// The variable that an l-value or array belongs to.
    pub(super) fn base_of(&self, n: Node) -> Option<Sym> {
        let tree = self.input.tree;
        let (kinds, sizes) = (tree.kind.as_slice(), tree.size.as_slice());
        let mut n = n.index();
        loop {
            n -= match kinds[n] {
                NodeKind::Paren => 1,
                NodeKind::Index => 2 + sizes[n - 1] as usize,
                _ => return self.symbol_of(Node::new(n)),
            };
        }
    }

    /// Warns if a constant changes by converting to `target`.
    pub(super) fn check_conversion(&mut self, n: Node, value: Const, target: Scalar) {
        let (Const::Float(from), Const::Int(to)) = (value, value.to(target)) else { return };
        if from as f64 == f64::from(to) {
            return;
        }
        let in_range = from > -2_147_483_904.0 && from < 2_147_483_648.0;
        let (warning, what) = match in_range {
            true => (Warning::FloatConversion, "loses its fraction"),
            false => (Warning::ConstantConversion, "is out of range"),
        };
        if self.warns(warning) {
            // The shortest digits of a large one are not its value.
            let shown = if in_range { format!("{from:?}") } else { format!("{from:e}") };
            let message = format!("the float {shown} {what} as an int and becomes {to}");
            self.diags.push(warning.at(self.span(n), message));
        }
    }

    // ---- Leaves -------------------------------------------------------------------------------------------

    pub(super) fn int_literal(&mut self, n: Node, token: Token) {
        let value = self.input.tokens.value[token];
        if value != SEE_TEXT {
            return self.set(n, Class::ConstInt, value);
        }
        self.large_literal(n);
    }

    #[cold]
    fn large_literal(&mut self, n: Node) {
        let next = Node::new(n.index() + 1);
        let under_minus =
            self.next_kind(n) == Some(NodeKind::Unary) && self.token_kind(next) == TokenKind::Minus;
        let at = self.at(n);
        let value = literal::int_literal(self.input.file, at, under_minus, &mut self.diags);
        self.set_const(n, Const::Int(value));
    }

    pub(super) fn float_literal(&mut self, n: Node, token: Token) {
        let bits = self.input.tokens.value[token];
        if bits != SEE_TEXT {
            return self.set(n, Class::ConstFloat, bits);
        }
        let at = self.at(n);
        let value = literal::float_literal(self.input.file, at, &mut self.diags);
        self.set_const(n, Const::Float(value));
    }

    pub(super) fn name(&mut self, n: Node, token: Token) {
        let name = self.input.tokens.name(token);
        let Binding { sym, class } = self.scopes.bound(name);
        if class == Class::None || self.hides(sym) {
            return self.unusual_name(n, name);
        }
        self.set(n, class, sym.index() as u32);
        if self.tracks {
            self.track(n, sym);
        }
    }

    /// A name that stands for no value.
    #[cold]
    fn unusual_name(&mut self, n: Node, name: Name) {
        self.set(n, Class::Error, 0);
        let Some(sym) = self.look_up(name) else { return self.undeclared(n, name, false) };
        let Symbol { declared, kind, ty, .. } = *self.symbol(sym);
        if declared && matches!(kind, SymbolKind::GlobalVar | SymbolKind::GlobalConst) && ty != Ty::ERROR {
            self.flag(sym, READ);
            let class = match (kind, ty) {
                (SymbolKind::GlobalVar, Ty::INT) => Class::IntVariable,
                (SymbolKind::GlobalVar, Ty::FLOAT) => Class::FloatVariable,
                _ => Class::Symbol,
            };
            return self.set(n, class, sym.index() as u32);
        }
        if !self.symbol(sym).is_function() || self.is_before_stray(n) {
            // It was declared in error, or perhaps called with a bracket that is none.
            return;
        }
        self.flag(sym, READ);
        let text = self.text(sym);
        let message = format!("function '{text}' is used as a variable");
        let diagnostic = Diagnostic::error("function-as-value", self.at(n), message);
        let Symbol { kind, data, .. } = *self.symbol(sym);
        let takes_nothing = match kind {
            SymbolKind::RuntimeFunc => self.input.library.functions[data as usize].params.is_empty(),
            _ => data == 0,
        };
        let diagnostic = match takes_nothing && self.next_kind(n) != Some(NodeKind::AssignStart) {
            true => diagnostic.note("a call has parentheses").edit(self.at(n), format!("{text}()")),
            false => diagnostic.help(format!("call it: {text}(...)")),
        };
        self.report_about(diagnostic, sym);
    }

    /// Notes that a variable is read, and whether it has a value.
    fn track(&mut self, n: Node, sym: Sym) {
        let symbol = *self.symbol(sym);
        if matches!(symbol.kind, SymbolKind::GlobalVar | SymbolKind::GlobalConst)
            || self.next_kind(n) == Some(NodeKind::AssignStart)
        {
            return;
        }
        self.flag(sym, READ);
        self.track_value(n, sym, symbol);
    }

    /// Notes whether a variable that is read has a value.
    #[inline(always)]
    pub(super) fn track_value(&mut self, n: Node, sym: Sym, symbol: Symbol) {
        let Symbol { ty, data, kind, .. } = symbol;
        // Only loops go back, so without a value so far there is none here, unless a loop was entered since.
        if kind == SymbolKind::LocalVar
            && !ty.is_array()
            && !self.has_flag(sym, WRITTEN)
            && data == self.loops.last().map_or(0, |frame| frame.id)
        {
            let at = self.at(n);
            self.report_uninitialized(sym, at, "is read before it has a value");
        }
    }

    // ---- Operators ----------------------------------------------------------------------------------------

    pub(super) fn paren(&mut self, n: Node) {
        let inner = self.before(n);
        let class = match self.class(inner) {
            Class::IntVariable => Class::Int,
            Class::FloatVariable => Class::Float,
            class => class,
        };
        if matches!(class, Class::Int | Class::Float) {
            return self.set_class(n, class);
        }
        match self.constant(inner) {
            Some(value) => self.set_const(n, value),
            None => self.set_type(n, self.ty(inner)),
        }
    }

    pub(super) fn unary(&mut self, n: Node) {
        let (operand, op) = (self.before(n), self.token_kind(n));
        if op == TokenKind::Not {
            self.assigned_not(n);
        }
        match self.class(operand).shape() {
            INT => return self.set_class(n, Class::Int),
            FLOAT => return self.set_class(n, if op == TokenKind::Not { Class::Int } else { Class::Float }),
            _ => {}
        }
        let may_be = op != TokenKind::Not && self.class(operand).shape() == 0;
        if may_be && self.is_tensor(self.ty(operand)) {
            return self.unary_tensor(n, operand);
        }
        let Some(scalar) = self.scalar(operand) else { return self.set(n, Class::Error, 0) };
        match self.constant(operand) {
            Some(value) => self.set_const(n, fold::unary(op, value)),
            None => self.set_type(n, if op == TokenKind::Not { Ty::INT } else { Ty::scalar(scalar) }),
        }
    }

    pub(super) fn binary(&mut self, n: Node, token: Token) {
        let right = self.before(n);
        let left = self.elder(right);
        let op = self.input.tokens.kind[token];
        let (a, b) = (self.class(left), self.class(right));
        let class = usual_result(op, a, b);
        if class != Class::None {
            return self.set_class(n, class);
        }
        // What is left of ints is nearly always a division by a number.
        if a.shape() == INT && b == Class::ConstInt && self.data(right) != 0 && op != TokenKind::At {
            return self.set_class(n, Class::Int);
        }
        self.unusual_binary(n, left, right, op);
    }

    /// A binary operator with operands of any kinds.
    #[inline(never)]
    fn unusual_binary(&mut self, n: Node, left: Node, right: Node, op: TokenKind) {
        let are_numbers = self.class(left).shape() != 0 && self.class(right).shape() != 0;
        let is_tensor = |n: Node| self.is_tensor(self.ty(n));
        if op == TokenKind::At || !are_numbers && (is_tensor(left) || is_tensor(right)) {
            return self.binary_tensor(n, left, right, op);
        }
        if fold::is_comparison(op) && self.ty(left).is_array() && self.ty(right).is_array() {
            self.set(n, Class::Error, 0);
            return self.error("array-as-scalar", self.at(n), "arrays cannot be compared");
        }
        let (a, b) = (self.scalar(left), self.scalar(right));
        let (Some(a), Some(b)) = (a, b) else { return self.set(n, Class::Error, 0) };
        let common = fold::common(a, b);
        if op == TokenKind::Percent && common == Scalar::Float {
            let culprit = if a == Scalar::Float { left } else { right };
            self.set(n, Class::Error, 0);
            let diagnostic =
                Diagnostic::error("float-operand", self.span(culprit), "an operand of '%' is a float");
            return self.diags.push(diagnostic.label("expected int, found float"));
        }
        let values = self.constant(left).zip(self.constant(right));
        if let Some(value) = values.and_then(|(a, b)| fold::binary(op, a, b)) {
            if let (Some((Const::Int(a), Const::Int(b))), Const::Int(value)) = (values, value) {
                self.check_overflow(n, op, (a, b), value);
            }
            return self.set_const(n, value);
        }
        self.set_type(n, if fold::is_comparison(op) { Ty::INT } else { Ty::scalar(common) });
        if self.warns(Warning::DivisionByZero) && !self.decl.wants_constant && self.is_division_by_zero(n) {
            let diagnostic = Warning::DivisionByZero.at(self.at(n), "division by zero");
            self.diags.push(diagnostic.secondary(self.span(right), "this is 0"));
        }
    }

    /// Warns of a result that does not fit an int.
    fn check_overflow(&mut self, n: Node, op: TokenKind, (a, b): (i32, i32), value: i32) {
        let (wide_a, wide_b) = (i64::from(a), i64::from(b));
        let wide = match op {
            TokenKind::Plus => wide_a + wide_b,
            TokenKind::Minus => wide_a - wide_b,
            TokenKind::Star => wide_a * wide_b,
            _ => return,
        };
        if wide != i64::from(value) && self.warns(Warning::Overflow) {
            let message =
                format!("{a} {} {b} is {wide}, which no int is, and becomes {value}", op.spelling());
            self.diags.push(Warning::Overflow.at(self.span(n), message));
        }
    }

    /// True for a `Binary` that divides an int by the constant 0.
    pub(super) fn is_division_by_zero(&self, n: Node) -> bool {
        let right = self.before(n);
        matches!(self.token_kind(n), TokenKind::Slash | TokenKind::Percent)
            && self.ty(n) == Ty::INT
            && self.constant(right) == Some(Const::Int(0))
    }

    /// `&&` and `||`: constant if both sides are, so that no side with an effect is ever passed over.
    pub(super) fn logical(&mut self, n: Node) {
        let right = self.before(n);
        let left = self.before(self.elder(right));
        self.compared(left);
        self.compared(right);
        if self.kind(right) == NodeKind::IntLiteral {
            self.constant_operand(n, left, right);
        }
        let (a, b) = (self.class(left).shape(), self.class(right).shape());
        if a != 0 && b != 0 && a & b & KNOWN == 0 {
            return self.set_class(n, Class::Int);
        }
        let (a, b) = (self.scalar(left), self.scalar(right));
        if a.is_none() || b.is_none() {
            return self.set(n, Class::Error, 0);
        }
        match (self.constant(left), self.constant(right)) {
            (Some(a), Some(b)) => {
                let (a, b) = (a.is_true(), b.is_true());
                let value = if self.kind(n) == NodeKind::And { a && b } else { a || b };
                self.set_const(n, Const::Int(i32::from(value)));
            }
            _ => self.set_type(n, Ty::INT),
        }
    }

    pub(super) fn index(&mut self, n: Node) {
        let (subscript, array) = (self.before(n), self.subscripted(n));
        let ty = match self.symbol_of(array) {
            Some(sym) => self.symbol(sym).ty,
            None => self.ty(array),
        };
        let class = self.class(subscript);
        if class == Class::Error && self.input.broken {
            return self.set(n, Class::Error, 0);
        }
        let is_int = class.shape() & INT != 0 || self.scalar(subscript) == Some(Scalar::Int);
        let TyView::Array(element, dim) = ty.view() else {
            self.set(n, Class::Error, 0);
            return self.report_not_an_array(n, array, ty);
        };
        let DimRow { rank, extent, .. } = self.dim_row(dim);
        /// Per element: an element, and a row of elements.
        const RESULTS: [[Class; 2]; 2] = [[Class::Int, Class::IntArray], [Class::Float, Class::FloatArray]];
        self.set(n, RESULTS[element as usize][usize::from(rank > 1)], dim.index() as u32 + 1);
        if class.shape() == INT {
            return;
        }
        if !is_int {
            return self.report_subscript(subscript);
        }
        let Some(Const::Int(value)) = self.constant(subscript) else { return };
        // A negative one is too large, too.
        if value as u32 >= if extent == 0 { 1 << 31 } else { extent } {
            self.report_bounds(subscript, value, extent, array);
        } else if rank == 1 {
            self.constant_element(n, element);
        }
    }

    #[cold]
    fn report_subscript(&mut self, subscript: Node) {
        if self.ty(subscript) == Ty::FLOAT {
            let diagnostic =
                Diagnostic::error("float-subscript", self.span(subscript), "a subscript is a float");
            self.diags.push(diagnostic.label("expected int, found float"));
        }
    }

    fn report_bounds(&mut self, subscript: Node, value: i32, extent: u32, array: Node) {
        if !self.warns(Warning::ArrayBounds) {
            return;
        }
        let base = self.base_of(array);
        let name = base.map_or("an array", |sym| self.text(sym));
        let message = match extent {
            0 => format!("subscript {value} of '{name}' is negative"),
            _ => format!("subscript {value} of '{name}' is outside of 0 to {}", extent - 1),
        };
        let warning = Warning::ArrayBounds.at(self.span(subscript), message);
        self.diags.push(match base {
            Some(sym) => self.with_declaration(warning, sym),
            None => warning,
        });
    }

    fn report_not_an_array(&mut self, n: Node, array: Node, ty: Ty) {
        if matches!(ty.view(), TyView::Error) {
            return;
        }
        // What has no name the parser has reported.
        let Some(sym) = self.base_of(array) else { return };
        let found = format!("expected an array, found {}", self.type_name(ty));
        let (code, message) = if self.kind(array) == NodeKind::Index {
            let declared = self.symbol(sym).ty.dim().map_or(0, |dim| self.dim_row(dim).rank);
            let plural = if declared == 1 { "" } else { "s" };
            let message =
                format!("too many subscripts: '{}' has {declared} dimension{plural}", self.text(sym));
            ("too-many-subscripts", message)
        } else {
            ("not-an-array", format!("'{}' is not an array", self.text(sym)))
        };
        let diagnostic = Diagnostic::error(code, self.span(n), message).label(found);
        self.report_about(diagnostic, sym);
    }

    /// An element of a constant array at constant subscripts is a constant. O(dimensions).
    fn constant_element(&mut self, n: Node, element: Scalar) {
        let Some(sym) = self.base_of(n) else { return };
        if !self.symbol(sym).is_const() {
            return;
        }
        let symbol = *self.symbol(sym);
        let Some(outer) = symbol.ty.dim() else { return };
        if !symbol.is_const() || !symbol.known {
            return;
        }
        let (mut at, mut offset) = (n, 0u32);
        let mut dim = outer.index() + self.dim_row(outer).rank as usize;
        while self.kind(at) == NodeKind::Index {
            dim -= 1;
            let row = self.dim_row(Dim::new(dim));
            match self.constant(self.before(at)) {
                Some(Const::Int(value)) if (0..i64::from(row.extent)).contains(&i64::from(value)) => {
                    offset += value as u32 * row.stride;
                }
                _ => return,
            }
            at = self.unwrapped(self.subscripted(at));
        }
        if let Some(word) = self.word_of(sym, offset) {
            self.set_const(n, Const::from_bits(element, word));
        }
    }

    fn word_of(&self, sym: Sym, offset: u32) -> Option<u32> {
        let symbol = self.symbol(sym);
        if symbol.data == super::symbol::NO_INIT {
            return None;
        }
        let init = super::Init::new(symbol.data as usize);
        let inits = if sym.index() >= self.own.symbol_base { Some(&self.inits) } else { self.shared.inits };
        inits.map(|inits| inits.word_at(init, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_results_are_those_of_the_rules() {
        use TokenKind::*;
        let operands = [
            (Class::Int, Scalar::Int),
            (Class::IntVariable, Scalar::Int),
            (Class::ConstInt, Scalar::Int),
            (Class::Float, Scalar::Float),
            (Class::FloatVariable, Scalar::Float),
            (Class::ConstFloat, Scalar::Float),
        ];
        let mut told = 0;
        for op in [Plus, Minus, Star, Slash, Percent, Less, LessEq, Greater, GreaterEq, EqEq, NotEq] {
            for ((left, a), (right, b)) in operands.iter().flat_map(|&a| operands.map(|b| (a, b))) {
                let common = fold::common(a, b);
                let is_float = common == Scalar::Float && !fold::is_comparison(op);
                let expected = if is_float { Class::Float } else { Class::Int };
                let known = |class| matches!(class, Class::ConstInt | Class::ConstFloat);
                let may_complain = op == Percent && is_float || matches!(op, Slash | Percent) && known(right);
                let result = usual_result(op, left, right);
                assert!(matches!(result, Class::None) || result == expected, "{op:?} {left:?} {right:?}");
                let both = known(left) && known(right);
                assert!(result == Class::None || !(may_complain || both));
                told += usize::from(result != Class::None);
            }
        }
        // All but two known operands; of `/` and `%`, all but known divisors; of `%`, only ints.
        assert_eq!(told, 9 * 32 + 24 + 6);
        assert_eq!(usual_result(Plus, Class::Int, Class::Symbol), Class::None);
    }
}
