//! Tensors: operators for all elements, products of matrices, and the shapes that go with them.
//!
//! A tensor is an array whose rows of the table of dimensions say so (`DimRow::is_tensor`): what arrays have,
//! elements, initialisers, parameters, is checked where that of arrays is. Here is what arrays do not have. All of
//! it is reached from the slow paths of expressions, so that programs without tensors pay nothing.
//!
//! The first length of a parameter is open. It is the length of what stands beside it: of the other operand of an
//! operator, of the target of an assignment, of what the function returns, of the columns of a left factor. An
//! expression of which nothing tells the length is an error where it is used.
//!
//! What a function returns has the shape of what its `return`s say: see `results`. O(1) a row, but for messages.

use super::checker::{Checker, READ, WRITTEN};
use super::decl::MOST_BYTES;
use super::fold;
use super::symbol::{Sym, SymbolKind};
use super::ty::{Class, Const, Dim, DimRow, Scalar, Ty, TyView};
use super::warning::Warning;
use crate::base::Handle;
use crate::source::Diagnostic;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{Node, NodeKind};

/// An operand beside a tensor.
#[derive(Copy, Clone)]
enum Operand {
    /// A number, which counts for each element.
    Number,
    Tensor(Scalar, Dim),
}

/// What is wrong with two tensors, one of which is to be put into the other.
struct Misfit {
    code: &'static str,
    message: String,
    label: String,
}

impl Checker<'_> {
    // ---- Types --------------------------------------------------------------------------------------------

    /// True if it is a tensor, or part of one.
    pub(super) fn is_tensor(&self, ty: Ty) -> bool {
        self.tensor_of(ty).is_some()
    }

    fn tensor_of(&self, ty: Ty) -> Option<(Scalar, Dim)> {
        match ty.view() {
            TyView::Array(scalar, dim) if self.dim_row(dim).is_tensor => Some((scalar, dim)),
            _ => None,
        }
    }

    /// The type that begins with `tensor`; or with a name, where the type was left out.
    #[cold]
    pub(super) fn tensor_type(&mut self, n: Node) -> Ty {
        let token = self.input.tree.token[n];
        let element = match self.input.tokens.kind.get(Token::new(token.index() + 1)) {
            Some(TokenKind::Int) => Ty::INT,
            Some(TokenKind::Float) => Ty::FLOAT,
            _ => return Ty::INT,
        };
        self.decl.is_tensor = true;
        if self.warns(Warning::Tensor) {
            let span = self.at(n);
            self.diags.push(Warning::Tensor.at(span, "'tensor' is SysY of 2026, not of 2022"));
        }
        element
    }

    /// What the function that begins returns. Of a tensor the shape is not known before its body is.
    pub(super) fn result_type(&mut self) -> Ty {
        let base = self.decl.base;
        match base.as_scalar() {
            Some(element) if self.decl.is_tensor => {
                let dim = Dim::new(self.next_dim());
                self.own.dims.push(DimRow { extent: 0, rank: 0, stride: 1, is_tensor: true });
                Ty::array(element, dim)
            }
            _ => base,
        }
    }

    #[cold]
    pub(super) fn report_no_dimensions(&mut self, n: Node, sym: Sym) -> Ty {
        let text = self.text(sym);
        if text.is_empty() {
            // A parameter that the parser has reported.
            return Ty::ERROR;
        }
        let message = format!("tensor '{text}' has no dimensions");
        let error = Diagnostic::error("tensor-dimensions", self.at(n), message);
        self.diags.push(match self.symbol(sym).kind {
            SymbolKind::Param => error.guess(self.at(n), format!("{text}[]")),
            _ => error.help(format!("write its lengths behind the name: '{text}[2][3]'")),
        });
        Ty::ERROR
    }

    /// The shape that two tensors have in common, if they have; a first length that is open is the other's.
    fn common_shape(&self, a: Dim, b: Dim) -> Option<Dim> {
        let (one, other) = (self.dim_row(a), self.dim_row(b));
        if one.rank == 0 || other.rank == 0 {
            return Some(if one.rank == 0 { b } else { a });
        }
        let is_open = one.extent == 0 || other.extent == 0;
        (self.same_inner(a, b) && (is_open || one.extent == other.extent)).then_some(if one.extent == 0 {
            b
        } else {
            a
        })
    }

    /// An element type and a shape as they are written.
    fn shape_name(&self, (element, dim): (Scalar, Dim)) -> String {
        self.type_name(Ty::array(element, dim))
    }

    // ---- Operands -----------------------------------------------------------------------------------------

    /// What stands beside a tensor; reports what cannot.
    fn operand(&mut self, n: Node) -> Option<Operand> {
        let ty = self.ty(n);
        let Some((element, dim)) = self.tensor_of(ty) else {
            if !ty.is_array() {
                return self.scalar(n).map(|_| Operand::Number);
            }
            self.report_array(n, ty);
            return None;
        };
        if self.kind(self.unwrapped(n)) == NodeKind::Index {
            self.report_part(n);
            return None;
        }
        Some(Operand::Tensor(element, dim))
    }

    /// All elements of a tensor are used: its name stands for them, not for its address.
    fn use_elements(&mut self, n: Node) {
        let n = self.unwrapped(n);
        if self.kind(n) == NodeKind::Name
            && let Some(sym) = self.symbol_of(n)
            && self.symbol(sym).ty.is_array()
        {
            self.set(n, Class::Tensor, sym.index() as u32);
        }
    }

    fn report_array(&mut self, n: Node, ty: Ty) {
        let name =
            self.base_of(n).map_or("an array".to_string(), |sym| format!("array '{}'", self.text(sym)));
        let message = format!("{name} stands beside a tensor");
        let found = format!("expected a tensor or a number, found {}", self.type_name(ty));
        let error = Diagnostic::error("tensor-operand", self.span(n), message).label(found);
        let error = error.help("declare it as a tensor: only tensors have operators for all elements");
        match self.base_of(n) {
            Some(sym) => self.report_about(error, sym),
            None => self.diags.push(error),
        }
    }

    /// A subscript too few.
    fn report_part(&mut self, n: Node) {
        let Some(sym) = self.base_of(n) else { return };
        let (text, ty) = (self.text(sym), self.ty(n));
        let message = format!("part of tensor '{text}' is no tensor");
        let found = format!("this is {}", self.type_name(ty).replace("tensor ", "part of a tensor, "));
        let error = Diagnostic::error("tensor-part", self.span(n), message).label(found);
        let missing = ty.dim().map_or(0, |dim| self.dim_row(dim).rank);
        let plural = if missing == 1 { "" } else { "s" };
        let error = error.help(format!(
            "write '{text}' for all elements, or {missing} more subscript{plural} for one of them"
        ));
        self.report_about(error, sym);
    }

    /// A tensor where a number has to stand.
    #[cold]
    pub(super) fn report_tensor(&mut self, n: Node, ty: Ty) {
        let (inner, base) = (self.unwrapped(n), self.base_of(n));
        let found = format!("expected int or float, found {}", self.type_name(ty));
        let missing = ty.dim().map_or(0, |dim| self.dim_row(dim).rank);
        let plural = if missing == 1 { "" } else { "s" };
        let message = match base {
            Some(sym) if self.kind(inner) == NodeKind::Index => {
                format!("{missing} more subscript{plural} needed for an element of '{}'", self.text(sym))
            }
            Some(sym) => format!("tensor '{}' is used as a number", self.text(sym)),
            None => "a tensor is used as a number".to_string(),
        };
        let error = Diagnostic::error("tensor-as-scalar", self.span(n), message).label(found);
        let error = error.note("a number is one element: name it with a subscript for each dimension");
        match base {
            Some(sym) => self.report_about(error, sym),
            None => self.diags.push(error),
        }
    }

    /// Says of two operands what they are and where they come from.
    fn with_types(&self, mut error: Diagnostic, operands: [Node; 2]) -> Diagnostic {
        for n in operands {
            let inner = self.unwrapped(n);
            let named = self.base_of(n).filter(|_| self.kind(inner) == NodeKind::Name);
            let ty = self.type_name(self.ty(n));
            let (span, text) = match named.and_then(|sym| Some((sym, self.declared_at(sym)?))) {
                Some((sym, span)) => (span, format!("'{}' is {ty}", self.text(sym))),
                None => (self.span(n), format!("this is {ty}")),
            };
            if !error.secondary.iter().any(|row| row.0 == span) {
                error = error.secondary(span, text);
            }
        }
        error
    }

    // ---- Operators ----------------------------------------------------------------------------------------

    /// `+` or `-` before a tensor.
    #[cold]
    pub(super) fn unary_tensor(&mut self, n: Node, operand: Node) {
        match self.operand(operand) {
            Some(Operand::Tensor(element, dim)) => {
                self.use_elements(operand);
                self.set_type(n, Ty::array(element, dim));
            }
            _ => self.set(n, Class::Error, 0),
        }
    }

    /// A binary operator, one of whose operands is a tensor, or `@`.
    #[cold]
    pub(super) fn binary_tensor(&mut self, n: Node, left: Node, right: Node, op: TokenKind) {
        self.set(n, Class::Error, 0);
        if fold::is_comparison(op) {
            let both = [left, right];
            if both.iter().any(|&operand| self.ty(operand) == Ty::ERROR) {
                return;
            }
            let error = Diagnostic::error("tensor-as-scalar", self.at(n), "tensors cannot be compared");
            let error = error.label("a comparison takes numbers").help("compare elements, in loops");
            let error = self.with_types(error, both);
            return self.diags.push(error);
        }
        let (a, b) = (self.operand(left), self.operand(right));
        let (Some(a), Some(b)) = (a, b) else { return };
        let result = match (a, b) {
            (Operand::Tensor(x, _), Operand::Tensor(y, _)) if x != y => {
                let message = "the elements of two tensors have different types";
                let error = Diagnostic::error("tensor-operand", self.at(n), message);
                let error = error.label(format!("{} beside {}", x.name(), y.name()));
                let error = self.with_types(error, [left, right]);
                self.diags.push(error.help("numbers convert, tensors do not: copy elements in a loop"));
                None
            }
            (Operand::Tensor(x, a), Operand::Tensor(_, b)) if op == TokenKind::At => {
                self.product(n, [left, right], (x, [a, b])).map(|dim| (x, dim))
            }
            _ if op == TokenKind::At => {
                let scalar = if matches!(a, Operand::Number) { left } else { right };
                let error = Diagnostic::error("tensor-operand", self.at(n), "'@' takes two tensors");
                let error = error
                    .secondary(self.span(scalar), format!("this is {}", self.type_name(self.ty(scalar))));
                let error = error.note("'*' multiplies numbers, and each element by a number");
                let error = error.guess(self.at(n), "*");
                self.diags.push(error);
                None
            }
            (Operand::Tensor(x, a), Operand::Tensor(_, b)) => {
                self.by_element(n, [left, right], (x, [a, b])).map(|dim| (x, dim))
            }
            (Operand::Tensor(x, dim), Operand::Number) | (Operand::Number, Operand::Tensor(x, dim)) => {
                Some((x, dim))
            }
            _ => None,
        };
        let Some((element, dim)) = result else { return };
        let floats = [left, right].into_iter().find(|&n| self.ty(n).element() == Some(Scalar::Float));
        if let (TokenKind::Percent, Some(culprit)) = (op, floats) {
            let message = "an operand of '%' is a float";
            let found = format!("expected int, found {}", self.type_name(self.ty(culprit)));
            let error = Diagnostic::error("float-operand", self.span(culprit), message).label(found);
            return self.diags.push(error);
        }
        match (a, b) {
            (Operand::Number, _) => self.with_number(n, left, element, false),
            (_, Operand::Number) => {
                let divides = matches!(op, TokenKind::Slash | TokenKind::Percent);
                self.with_number(n, right, element, divides);
            }
            _ => {}
        }
        self.use_elements(left);
        self.use_elements(right);
        self.set_type(n, Ty::array(element, dim));
    }

    /// A number that counts for each element: it becomes one of them.
    fn with_number(&mut self, n: Node, number: Node, element: Scalar, divides: bool) {
        let Some(value) = self.constant(number) else { return };
        self.check_conversion(number, value, element);
        if divides && value.to(element) == Const::Int(0) && self.warns(Warning::DivisionByZero) {
            let warning = Warning::DivisionByZero.at(self.at(n), "division by zero");
            self.diags.push(warning.secondary(self.span(number), "this is 0"));
        }
    }

    /// Two tensors by element.
    fn by_element(
        &mut self,
        n: Node,
        nodes: [Node; 2],
        (element, [a, b]): (Scalar, [Dim; 2]),
    ) -> Option<Dim> {
        let common = self.common_shape(a, b);
        if common.is_none() {
            let sign = self.token_kind(n).spelling();
            let [one, other] = [a, b].map(|dim| self.shape_name((element, dim)));
            let message = format!("the operands of '{sign}' have different shapes");
            let label = format!("{one} {sign} {other}");
            let error = Diagnostic::error("tensor-shape", self.at(n), message).label(label);
            let error = self.with_types(error, nodes);
            let is_product = sign == "*" && self.product_shape(a, b).is_some();
            self.diags.push(match is_product {
                true => error.note("the product of matrices is written '@'").guess(self.at(n), "@"),
                false => error,
            });
        }
        common
    }

    /// Rows and columns of a product of matrices, if the shapes fit.
    fn product_shape(&self, a: Dim, b: Dim) -> Option<[u32; 2]> {
        let (one, other) = (self.dim_row(a), self.dim_row(b));
        if one.rank != 2 || other.rank != 2 {
            return None;
        }
        (other.extent == 0 || one.stride == other.extent).then_some([one.extent, other.stride])
    }

    /// The shape of a product of matrices.
    fn product(&mut self, n: Node, nodes: [Node; 2], (element, [a, b]): (Scalar, [Dim; 2])) -> Option<Dim> {
        let ranks = [a, b].map(|dim| self.dim_row(dim).rank);
        if ranks.contains(&0) {
            return None;
        }
        let Some([rows, columns]) = self.product_shape(a, b) else {
            let [one, other] = [a, b].map(|dim| self.shape_name((element, dim)));
            let label = format!("{one} @ {other}");
            let message = match ranks {
                [2, 2] => {
                    let (columns, rows) = (self.dim_row(a).stride, self.dim_row(b).extent);
                    format!("the left factor of '@' has {columns} columns, the right one {rows} rows")
                }
                _ => "the factors of '@' have two dimensions each".to_string(),
            };
            let error = Diagnostic::error("tensor-shape", self.at(n), message).label(label);
            let error = self.with_types(error, nodes);
            self.diags.push(match self.common_shape(a, b) {
                Some(_) => error.note("the product by element is written '*'").guess(self.at(n), "*"),
                None => error,
            });
            return None;
        };
        if u64::from(rows.max(1)) * u64::from(columns) * 4 > MOST_BYTES {
            let error = Diagnostic::error("array-too-large", self.at(n), "the product is too large");
            let error = self.with_types(error, nodes);
            self.diags.push(error.note(format!("an object has at most {MOST_BYTES} bytes")));
            return None;
        }
        let dim = Dim::new(self.next_dim());
        self.own.dims.push(DimRow { extent: rows, rank: 2, stride: columns, is_tensor: true });
        self.own.dims.push(DimRow { extent: columns, rank: 1, stride: 1, is_tensor: true });
        Some(dim)
    }

    // ---- Where tensors go ---------------------------------------------------------------------------------

    /// A tensor is to be assigned to.
    #[cold]
    pub(super) fn tensor_target(&mut self, target: Node, sym: Sym) {
        if self.kind(self.unwrapped(target)) == NodeKind::Index {
            return self.report_part(target);
        }
        // What a parameter refers to is the caller's, who may read it.
        match self.symbol(sym).kind {
            SymbolKind::Param if self.tracks => _ = self.flag(sym, READ | WRITTEN),
            SymbolKind::LocalVar if self.tracks => _ = self.flag(sym, WRITTEN),
            _ => {}
        }
    }

    #[cold]
    pub(super) fn assign_tensor(&mut self, n: Node, target: Node, value: Node) {
        let inner = self.unwrapped(target);
        let is_whole = self.kind(inner) == NodeKind::Name;
        let is_const = self.base_of(target).is_some_and(|sym| self.symbol(sym).is_const());
        if !is_whole || is_const {
            // The target was reported.
            return;
        }
        let ty = self.ty(target);
        if let Some(common) = self.stored(n, value, (ty, target), "assigned to") {
            self.use_elements(inner);
            self.set_type(n, common);
        }
    }

    /// A tensor begins with the value of an expression.
    #[cold]
    pub(super) fn initialise_tensor(&mut self, sym: Sym, init: Node) {
        let ty = self.symbol(sym).ty;
        let Some(n) = self.next_node(init) else { return };
        if self.stored(n, init, (ty, n), "the initialiser of").is_some()
            && self.symbol(sym).kind != SymbolKind::LocalVar
        {
            self.report_nonconstant_initialiser(sym, init);
        }
        self.symbol_mut(sym).known = true;
    }

    fn next_node(&self, n: Node) -> Option<Node> {
        self.next_kind(n).map(|_| Node::new(n.index() + 1))
    }

    /// Whether a value can be put into a tensor of type `ty`, which is the node `to`; the type that both have.
    fn stored(&mut self, at: Node, value: Node, (ty, to): (Ty, Node), how: &str) -> Option<Ty> {
        let (element, dim) = self.tensor_of(ty)?;
        let name = match self.kind(to) {
            NodeKind::Return => "what the function returns".to_string(),
            _ => self
                .symbol_of(self.unwrapped(to))
                .map_or(String::new(), |sym| format!("tensor '{}'", self.text(sym))),
        };
        if self.ty(value).as_scalar().is_some() {
            let what = self.type_name(self.ty(value));
            let message = match how {
                "returned" => {
                    format!("a number is returned, and the function returns {}", self.type_name(ty))
                }
                _ => format!("a number is {how} {name}"),
            };
            let found = format!("expected {}, found {what}", self.type_name(ty));
            let error = Diagnostic::error("tensor-scalar", self.span(value), message).label(found);
            let error = error.help("a number is no tensor: set elements in a loop, or name one of them");
            let declared = self.symbol_of(self.unwrapped(to)).filter(|_| self.kind(to) != NodeKind::Return);
            match declared {
                Some(sym) => self.report_about(error, sym),
                None => self.diags.push(error),
            }
            return None;
        }
        let Operand::Tensor(found, shape) = self.operand(value)? else { return None };
        let common = self.common_shape(dim, shape).filter(|_| found == element);
        let Some(common) = common else {
            let names = [self.type_name(ty), self.shape_name((found, shape))];
            let (what, code) = match found == element {
                true => ("shape", "tensor-shape"),
                false => ("type", "tensor-operand"),
            };
            let message = match how {
                "returned" => format!("a tensor of another {what} is returned than before"),
                _ => format!("a tensor of another {what} is {how} {name}"),
            };
            let label = format!("expected {}, found {}", names[0], names[1]);
            self.report_other(at, Misfit { code, message, label }, value, (to, ty));
            return None;
        };
        self.use_elements(value);
        if self.dim_row(common).extent == 0 && self.dim_row(common).rank != 0 {
            self.report_length(value, [value, to]);
            return None;
        }
        Some(Ty::array(element, common))
    }

    /// The type of what is stored is not that of where.
    fn report_other(&mut self, at: Node, what: Misfit, value: Node, (to, ty): (Node, Ty)) {
        match self.kind(to) {
            NodeKind::Return => {
                let error = Diagnostic::error(what.code, self.span(value), what.message).label(what.label);
                let first = (1..to.index())
                    .map(Node::new)
                    .find(|&n| self.kind(n) == NodeKind::Return && self.tensor_of(self.ty(n)).is_some());
                let error = match first {
                    Some(first) => {
                        error.secondary(self.at(first), format!("this returns {}", self.type_name(ty)))
                    }
                    None => error,
                };
                let error = self.with_types(error, [value, value]);
                self.diags.push(error);
            }
            _ => {
                let error = Diagnostic::error(what.code, self.at(at), what.message).label(what.label);
                let error = self.with_types(error, [to, value]);
                self.diags.push(error);
            }
        }
    }

    /// Nothing tells how long the first dimension is.
    fn report_length(&mut self, n: Node, parts: [Node; 2]) {
        let message = "nothing tells the first length of this tensor";
        let found = format!("it is {}", self.type_name(self.ty(n)));
        let mut error = Diagnostic::error("tensor-length", self.span(n), message).label(found);
        let first = self.input.tree.first(n).index();
        let rows = (first..=n.index()).take(4096).map(Node::new);
        let open = |sym: &Sym| {
            self.symbol(*sym)
                .ty
                .dim()
                .is_some_and(|dim| self.dim_row(dim).is_tensor && self.dim_row(dim).extent == 0)
                && self.symbol(*sym).kind == SymbolKind::Param
        };
        let places = rows.chain(parts).filter(|&n| matches!(self.kind(n), NodeKind::Name));
        let params: Vec<Sym> = places.filter_map(|n| self.symbol_of(n)).filter(open).collect();
        for sym in params {
            if let Some(span) = self.declared_at(sym)
                && !error.secondary.iter().any(|row| row.0 == span)
                && error.secondary.len() < 4
            {
                let ty = self.type_name(self.symbol(sym).ty);
                error = error.secondary(span, format!("'{}' is {ty}", self.text(sym)));
            }
        }
        let error = error
            .note("the first length of a parameter is that of the tensor that it meets in an expression");
        self.diags.push(error.help("copy it to a tensor with lengths first, or write a loop"));
    }

    /// `return` in a function that returns a tensor.
    #[cold]
    pub(super) fn return_tensor(&mut self, n: Node, function: Sym, has_value: bool) {
        let ty = self.symbol(function).ty;
        let Some((element, dim)) = self.tensor_of(ty) else { return };
        let text = self.text(function);
        if !has_value {
            let message = format!("'return' without a value in '{text}', which returns a tensor");
            let error = Diagnostic::error("missing-return-value", self.at(n), message);
            return self.report_about(error.label("expected a tensor"), function);
        }
        let value = self.before(n);
        if self.dim_row(dim).rank == 0 {
            // What is returned is being found out.
            if let Some(Operand::Tensor(found, _)) = self.operand(value)
                && found == element
            {
                self.set_type(n, self.ty(value));
            }
            return;
        }
        if let Some(common) = self.stored(n, value, (ty, n), "returned") {
            self.set_type(n, common);
        }
    }

    /// Argument `k` of a call, where the parameter is a tensor or the argument is.
    #[cold]
    pub(super) fn tensor_argument(&mut self, callee: Sym, k: usize, param: Ty, argument: Node) {
        let given = self.ty(argument);
        let (Some(wanted), Some(shape)) = (param.dim(), given.dim()) else { return };
        let is_part = self.kind(self.unwrapped(argument)) == NodeKind::Index;
        let for_tensor = self.dim_row(wanted).is_tensor;
        if for_tensor && !self.is_tensor(given) {
            let message = format!("argument {} of '{}' is an array, not a tensor", k + 1, self.text(callee));
            let types = format!("expected {}, found {}", self.type_name(param), self.type_name(given));
            let error = Diagnostic::error("tensor-operand", self.span(argument), message).label(types);
            let error = self.with_parameter(error, callee, k);
            let error =
                error.help("declare it as a tensor: an array parameter takes both, a tensor's only tensors");
            return self.diags.push(error);
        }
        if for_tensor && is_part {
            return self.report_part(argument);
        }
        let is_function = self.symbol(callee).kind == SymbolKind::Func;
        let same_inner = match for_tensor {
            true => self.common_shape(wanted, shape).is_some(),
            false => !is_function || self.same_inner(wanted, shape),
        };
        if param.element() != given.element() || for_tensor && !same_inner {
            let message = format!("argument {} of '{}' has the wrong type", k + 1, self.text(callee));
            let types = format!("expected {}, found {}", self.type_name(param), self.type_name(given));
            let code = match for_tensor {
                true if param.element() == given.element() => "tensor-shape",
                true => "tensor-operand",
                false => "argument-type",
            };
            let error = Diagnostic::error(code, self.span(argument), message).label(types);
            let error = self.with_parameter(error, callee, k);
            let error = match self.base_of(argument) {
                Some(sym) => self.with_declaration(error, sym),
                None => error,
            };
            return self.diags.push(error);
        }
        if !same_inner {
            self.argument_warning(callee, k, param, argument);
        }
        let row = self.dim_row(shape);
        let is_computed = !matches!(self.kind(self.unwrapped(argument)), NodeKind::Name | NodeKind::Index);
        let is_open = row.extent == 0 && (!for_tensor || self.dim_row(wanted).extent == 0);
        if is_computed && is_open && row.rank != 0 {
            self.report_length(argument, [argument, argument]);
        }
    }

    /// A call whose result is a tensor.
    #[cold]
    pub(super) fn tensor_call(&mut self, n: Node, callee: Sym) {
        let Some((_, dim)) = self.tensor_of(self.ty(n)) else { return };
        if self.dim_row(dim).rank != 0 || self.input.infers {
            return;
        }
        self.set(n, Class::Error, 0);
        let message = format!("the shape of what '{}' returns is not known here", self.text(callee));
        let error = Diagnostic::error("tensor-result", self.at(n), message);
        let error = error.help("define it in this source: a prototype does not tell the shape");
        self.report_about(error, callee);
    }
}
