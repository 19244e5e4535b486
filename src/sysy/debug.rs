//! What debuggers are told of a program: facts of the source, and where its lines and variables ended up in
//! the code.
//!
//! A `FunctionFact` is collected from the tree before it goes: where statements begin, which scopes declare
//! which variables. `Facts` are those of all functions, in order.
//! `describe` joins them with the code of functions. Collected and joined only under `-g`; linear in the tree.
//!
//! **Statements.** Every instruction has a byte offset in the source, and the last statement that begins at
//! or before it is the one it belongs to. A debugger stops where code of a statement starts, and where a
//! statement that takes several lines first comes to a later one of them; not where it comes back to its
//! first line to store what it has computed, nor where code that is scheduled among that of others does, in one block
//! and one copy of the text. Behind the prologue it stops for the first statement of the function,
//! though no code is left of that: what is left may be in a loop.

mod describe;
#[cfg_attr(not(feature = "llvm-text"), path = "debug/no_metadata.rs")]
pub mod metadata;
mod several;
#[cfg(feature = "llvm-text")]
mod types;
mod write;

use crate::base::intern::DenseMap;
use crate::base::{Column, Handle};
use crate::ir::FuncId;
use crate::object::debug::{DEEPEST, Home, Type, TypeRow, Variable};
use crate::sema::{Checked, Dim, NO_PLACE, Scalar, Sema, Sym, SymbolKind, Ty, TyView};
use crate::source::SourceFile;
use crate::syntax::lexer;
use crate::syntax::token::{Token, TokenKind, Tokens};
use crate::syntax::tree::{Node, NodeKind, Tree};

pub use describe::program;
use metadata::Nodes;

/// A scope that declares something: bytes `start..=end` of the source.
#[derive(Copy, Clone, Debug)]
struct ScopeFact {
    start: u32,
    end: u32,
    /// The scope around it among those of the function; its own number for the function.
    parent: u32,
    depth: u32,
}

/// A variable, constant or parameter.
#[derive(Copy, Clone, Debug)]
struct VariableFact {
    /// Where its name stands.
    offset: u32,
    ty: Type,
    sym: Sym,
    /// Of a local one: its scope among those of the function.
    scope: u32,
    is_parameter: bool,
    /// The bits of a scalar constant.
    value: Option<u32>,
}

/// What the source says of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionFact {
    /// Where its name stands.
    offset: u32,
    result: Option<Type>,
    scopes: Vec<ScopeFact>,
    variables: Vec<VariableFact>,
    /// Where statements begin, ascending, and the types of variables: of a function that is not among others
    /// yet.
    statements: Vec<u32>,
    types: Types,
}

/// What debuggers are to be told of a source.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The source, and where the compiler runs, which paths are relative to; both as they are to be told.
    pub file: String,
    /// See above.
    pub folder: String,
    /// Lines, functions and inlined calls, and nothing of variables.
    pub only_lines: bool,
}

/// What the source says.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    told: Told,
    /// Further sources of the program, and the line on which each begins: lines go on from one to the next.
    more_files: Vec<(u32, String)>,
    types: Types,
    /// Where statements begin, ascending.
    statements: Vec<u32>,
    /// Those with a source are the first.
    functions: Column<FuncId, FunctionFact>,
    globals: Vec<VariableFact>,
    /// The source is a text in LLVM's form, which may say of itself what it was made from.
    is_text: bool,
}

/// Types, once each.
#[derive(Clone, Debug, Default)]
struct Types {
    rows: Column<Type, TypeRow>,
    of: DenseMap<TypeRow, Type>,
}

/// The facts of a function's body in a tree of its own: all but those of the signature.
pub fn collect(tokens: &Tokens, tree: &Tree, sema: Checked) -> FunctionFact {
    let mut fact = FunctionFact::default();
    fact.body(tokens, tree, sema);
    fact
}

impl Types {
    fn intern(&mut self, row: TypeRow) -> Type {
        if let Some(&ty) = self.of.get(&row) {
            return ty;
        }
        let ty = self.rows.push(row.clone());
        self.of.insert(row, ty);
        ty
    }

    /// Adds other types. Returns their numbers here.
    fn append(&mut self, other: Types) -> Column<Type, Type> {
        let mut new: Column<Type, Type> = Column::new();
        for row in other.rows.into_vec() {
            let row = match row {
                TypeRow::Const(ty) => TypeRow::Const(new[ty]),
                TypeRow::Array(ty, lengths) => TypeRow::Array(new[ty], lengths),
                TypeRow::Pointer(ty) => TypeRow::Pointer(new[ty]),
                scalar => scalar,
            };
            new.push(self.intern(row));
        }
        new
    }

    fn scalar(&mut self, scalar: Scalar) -> Type {
        self.intern(if scalar == Scalar::Int { TypeRow::Int } else { TypeRow::Float })
    }

    /// The type of a variable. A parameter that is an array is a pointer to what its first dimension holds.
    fn of_variable(&mut self, sema: Checked, ty: Ty, is_const: bool, is_param: bool) -> Type {
        let (scalar, dim) = match ty.view() {
            TyView::Array(scalar, dim) => (scalar, Some(dim.index())),
            view => (if view == TyView::Scalar(Scalar::Float) { Scalar::Float } else { Scalar::Int }, None),
        };
        let mut made = self.scalar(scalar);
        if is_const {
            made = self.intern(TypeRow::Const(made));
        }
        let Some(first) = dim else { return made };
        let row = |k: usize| sema.dim(Dim::new(k));
        let mut lengths: Vec<u32> =
            (first..first + row(first).rank as usize).map(|k| row(k).extent).collect();
        if is_param {
            lengths.remove(0);
        }
        if !lengths.is_empty() {
            made = self.intern(TypeRow::Array(made, lengths));
        }
        if is_param { self.intern(TypeRow::Pointer(made)) } else { made }
    }

    fn variable(&mut self, sema: Checked, sym: Sym, scope: u32) -> VariableFact {
        let symbol = sema.row(sym);
        let is_parameter = symbol.kind == SymbolKind::Param;
        VariableFact {
            offset: symbol.place,
            ty: self.of_variable(sema, symbol.ty, symbol.is_const(), is_parameter),
            sym,
            scope,
            is_parameter,
            value: symbol.constant().map(|value| value.bits()),
        }
    }
}

impl Facts {
    /// The same, of this source. Where only lines are to be told, there are no variables and no types.
    pub fn of_file(mut self, told: Told) -> Facts {
        if told.only_lines {
            self.types = Types::default();
            self.globals = Vec::new();
            for fact in self.functions.as_mut_slice() {
                (fact.result, fact.variables) = (None, Vec::new());
                fact.scopes.truncate(1);
            }
        }
        Facts { told, ..self }
    }

    /// Those of a text in LLVM's form.
    pub fn of_text() -> Facts {
        Facts { is_text: true, ..Facts::default() }
    }

    /// What a text says of what it was made from.
    pub fn nodes<'a>(&self, file: &'a SourceFile) -> Option<Nodes<'a>> {
        if self.is_text { metadata::nodes(std::str::from_utf8(&file.text).ok()?) } else { None }
    }

    /// Those of a program without errors, given those of the bodies in order.
    pub fn new(sema: &Sema, bodies: impl Iterator<Item = FunctionFact>) -> Facts {
        let mut facts = Facts::default();
        let shared = sema.checked();
        let globals = sema.globals.iter().filter(|&&sym| sema.symbols[sym].place != NO_PLACE);
        facts.globals = globals.map(|&sym| facts.types.variable(shared, sym, 0)).collect();
        for (function, mut fact) in sema.functions.iter().zip(bodies) {
            let symbol = sema.symbols[function.sym];
            fact.offset = symbol.place;
            fact.result = symbol.ty.as_scalar().map(|scalar| facts.types.scalar(scalar));
            let first = function.sym.index() + 1;
            let params = (first..first + shared.params(function.sym)).map(Sym::new);
            let mut variables: Vec<VariableFact> =
                params.map(|sym| facts.types.variable(shared, sym, 0)).collect();
            let new = facts.types.append(std::mem::take(&mut fact.types));
            variables.extend(fact.variables.iter().map(|row| VariableFact { ty: new[row.ty], ..*row }));
            fact.variables = variables;
            facts.statements.append(&mut fact.statements);
            facts.functions.push(fact);
        }
        facts
    }
}

impl FunctionFact {
    /// One sweep over the rows. The body of the function is the scope of its parameters, too.
    fn body(&mut self, tokens: &Tokens, tree: &Tree, sema: Checked) {
        let offset = |n: Node| tokens.start[tree.token[n]];
        self.scopes.push(ScopeFact { start: 0, end: u32::MAX, parent: 0, depth: 0 });
        let mut open: Vec<u32> = Vec::new();
        let mut begins = false;
        for (n, &kind) in tree.kind.iter() {
            // A statement's first row is a leaf; what closes a statement around it is none.
            let none = matches!(kind, NodeKind::ElseStart | NodeKind::StepStart);
            if begins && tree.size[n] == 1 && !none || kind == NodeKind::StepStart {
                self.statements.push(statement_start(tokens, tree, n));
            }
            begins = matches!(
                kind,
                NodeKind::BlockStart
                    | NodeKind::Block
                    | NodeKind::IfCond
                    | NodeKind::WhileCond
                    | NodeKind::ElseStart
                    | NodeKind::Decl
                    | NodeKind::Assign
                    | NodeKind::ExprStmt
                    | NodeKind::Empty
                    | NodeKind::If
                    | NodeKind::While
                    | NodeKind::For
                    | NodeKind::DoStart
                    | NodeKind::Do
                    | NodeKind::Break
                    | NodeKind::Continue
                    | NodeKind::Return
            );
            match kind {
                NodeKind::BlockStart if open.is_empty() => open.push(0),
                NodeKind::BlockStart => {
                    let parent = open.last().copied().unwrap_or(0);
                    let depth = self.scopes[parent as usize].depth + 1;
                    open.push(if depth > DEEPEST { parent } else { self.scopes.len() as u32 });
                    if depth <= DEEPEST {
                        self.scopes.push(ScopeFact { start: offset(n), end: u32::MAX, parent, depth });
                    }
                }
                NodeKind::Block => {
                    let scope = open.pop().unwrap_or(0) as usize;
                    self.scopes[scope].end = offset(n);
                }
                NodeKind::DeclName => {
                    if let Some(sym) = sema.symbol(n) {
                        let variable = self.types.variable(sema, sym, open.last().copied().unwrap_or(0));
                        self.variables.push(variable);
                    }
                }
                _ => {}
            }
        }
        // Where control leaves at the end of the body.
        self.statements.push(offset(Node::new(tree.len() - 2)));
        // The step of a 'for' stands before the body in the text.
        if !self.statements.is_sorted() {
            self.statements.sort_unstable();
        }
        drop_idle_scopes(self);
    }
}

/// Takes out the scopes that declare nothing.
fn drop_idle_scopes(fact: &mut FunctionFact) {
    let mut used = vec![false; fact.scopes.len()];
    used[0] = true;
    fact.variables.iter().for_each(|variable| used[variable.scope as usize] = true);
    let mut new: Vec<u32> = Vec::with_capacity(used.len());
    let mut kept: Vec<ScopeFact> = Vec::new();
    for (scope, used) in fact.scopes.iter().zip(used) {
        let parent = new.get(scope.parent as usize).copied().unwrap_or(0);
        new.push(if used { kept.len() as u32 } else { parent });
        if used {
            kept.push(ScopeFact { parent, ..*scope });
        }
    }
    fact.variables.iter_mut().for_each(|variable| variable.scope = new[variable.scope as usize]);
    fact.scopes = kept;
}

/// Where the statement begins whose first row is `n`: in postorder, its first operand, which may have signs,
/// parentheses and `return` before it.
fn statement_start(tokens: &Tokens, tree: &Tree, n: Node) -> u32 {
    let mut token = tree.token[n].index();
    let before = |token: usize| token.checked_sub(1).map(|k| tokens.kind[Token::new(k)]);
    while let Some(
        TokenKind::LParen | TokenKind::Plus | TokenKind::Minus | TokenKind::Not | TokenKind::Return,
    ) = before(token)
    {
        token -= 1;
    }
    tokens.start[Token::new(token)]
}

impl VariableFact {
    fn name<'a>(&self, file: &'a SourceFile) -> &'a str {
        let start = self.offset as usize;
        let end = lexer::token_end(&file.text, TokenKind::Ident, start);
        std::str::from_utf8(&file.text[start..end]).unwrap_or_default()
    }

    fn told<'a>(&self, file: &'a SourceFile, home: Home) -> Variable<'a> {
        Variable {
            name: self.name(file).into(),
            line: file.line(self.offset),
            ty: self.ty,
            home: self.value.map_or(home, |bits| Home::Value(i64::from(bits as i32))),
            spans: Vec::new(),
            scope: self.scope,
            is_parameter: self.is_parameter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::describe::within;
    use super::*;
    use crate::base::Opt;
    use crate::base::parallel::Workers;
    use crate::ir::Flags;
    use crate::lower::Checks;
    use crate::object::code::{Code, DebugRows, Line, Spot};
    use crate::object::debug::{Function, Scope, Span};
    use crate::sema::WarningSet;
    use crate::sema::runtime::SYSY;
    use crate::syntax::Standard;
    use crate::sysy::start::{self, Begun, Profiling, Scratch, Wanted};

    fn facts(text: &str) -> (SourceFile, Facts) {
        let file = SourceFile::new("t.sy", text.as_bytes().to_vec());
        let (library, standard, warnings) = (&SYSY, Standard::Dialect, &WarningSet::NONE);
        let wanted = Wanted {
            alone: true,
            several: false,
            library,
            standard,
            warnings,
            ir: true,
            tokens: false,
            only_tokens: false,
            tree: false,
            debug: true,
            variables: true,
            in_memory: true,
            places: true,
            names: false,
            verify: true,
            checks: Checks::NONE,
            math: Flags::NONE,
            profiling: Profiling::None,
        };
        let Begun { start, env, mut units, .. } = start::outline(&file, wanted, &Workers::new(1)).unwrap();
        let (start, mut scratch) = (start.unwrap(), Scratch::default());
        units.iter_mut().for_each(|unit| start.make(&env, unit, &mut scratch));
        let bodies = units.iter_mut().map(|unit| unit.code.more().facts.take().unwrap());
        let facts = Facts::new(&start.outline.sema, bodies);
        drop(start);
        (file, facts)
    }

    /// The function `f` with code of 4 bytes a place; a place is a piece of the text, or nothing.
    fn described<'a>(file: &'a SourceFile, facts: &'a Facts, places: &[&str]) -> Function<'a> {
        let text = std::str::from_utf8(&file.text).unwrap();
        let loc =
            |place: &&str| text.find(place).filter(|_| !place.is_empty()).map_or(u32::MAX, |at| at as u32);
        let line = |(k, place)| Line { offset: 4 * k as u32, loc: loc(place), call: Opt::NONE, version: 0 };
        let lines = places.iter().enumerate().map(line).collect();
        let debug = Some(Box::new(DebugRows { lines, ..DebugRows::default() }));
        let code = Code { bytes: vec![0; 4 * places.len()], debug, ..Code::default() };
        facts.describe(file, 0, ("f", false), &code, &Vec::new())
    }

    #[test]
    fn statements_begin_where_the_eye_sees_them_begin() {
        let text = "void f(int a) {\n  int b = 1, c = 2; -a; ((a)); {} ;\n  if (!a) return; else return;\n  \
            while (a) { if (a) break; else continue; }\n}\n\
            int g() { return -(1); }\nint main() { f(g()); return 0; }";
        let (file, facts) = facts(text);
        let shown = |&start: &u32| file.text[start as usize..].iter().take(4).map(|&c| c as char).collect();
        let begins: Vec<String> = facts.statements.iter().map(shown).collect();
        let expected = [
            "int ", "-a; ", "((a)", "{} ;", ";\n  ", "if (", "retu", "retu", "whil", "{ if", "if (", "brea",
            "cont", "}\nin", "retu", "}\nin", "f(g(", "retu", "}",
        ];
        assert_eq!(begins, expected);
        assert!(facts.statements.is_sorted());
    }

    #[test]
    fn a_debugger_stops_at_statements_and_at_later_lines_of_them() {
        let (file, facts) = facts(
            "int f(int a) {\n  a = a\n    + 1\n    + 2; a = 3;\n  return a;\n}\nint main() { return f(1); }",
        );
        let rows =
            described(&file, &facts, &["", "a\n", "1\n", "", "+ 1", "+ 2", "= a", "= 3", "return"]).lines;
        let shown =
            rows.iter().map(|row| (row.offset, row.line, row.column, row.is_statement, row.prologue_end));
        let expected = [
            (0, 1, 5, true, false),
            (4, 2, 3, true, true),
            (8, 3, 7, true, false),
            (20, 4, 5, true, false),
            (24, 2, 5, false, false),
            (28, 4, 10, true, false),
            (32, 5, 3, true, false),
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn scopes_have_the_pieces_of_code_that_come_from_them() {
        let (file, facts) = facts(
            "int f(int a) { { int b = 1; { a = 2; { int c = b; a = c; } } a = 4; } { a = 5; } { int d; a = 6; } \
             return a; }\nint main() { return f(1); }",
        );
        let places = ["", "= 1", "= 2", "= b", "= 4", "= 6", "= c", "", "= 5", "return"];
        let function = described(&file, &facts, &places);
        let scope = |parent, pieces: &[(u32, u32)]| Scope { parent, pieces: pieces.to_vec() };
        let expected = [
            scope(0, &[]),
            scope(0, &[(4, 20), (24, 32)]),
            scope(1, &[(12, 16), (24, 32)]),
            scope(0, &[(20, 24)]),
        ];
        assert_eq!(function.scopes, expected);
        let variables = function.variables.iter().map(|row| (&*row.name, row.scope, row.is_parameter));
        assert_eq!(
            variables.collect::<Vec<_>>(),
            [("a", 0, true), ("b", 1, false), ("c", 2, false), ("d", 3, false)]
        );
    }

    #[test]
    fn what_is_shown_ends_with_the_scope() {
        let (at, mut spans) = (Spot::Register(1), Vec::new());
        let pieces = [(4, 8), (8, 10), (12, 20)];
        within(&mut spans, (0, 4), at, &pieces);
        assert_eq!(spans, []);
        within(&mut spans, (2, 14), at, &pieces);
        within(&mut spans, (14, 30), Spot::Frame(-8), &pieces);
        let span = |start, end, at| Span { start, end, at };
        assert_eq!(spans, [span(4, 10, at), span(12, 14, at), span(14, 20, Spot::Frame(-8))]);
    }

    #[test]
    fn scopes_deeper_than_readers_like_are_told_as_one() {
        let depth = 1000;
        let text = format!(
            "int f() {{ {} {} return 0; }}\nint main() {{ return f(); }}",
            "{int a = 1;".repeat(depth),
            "}".repeat(depth)
        );
        let (file, facts) = facts(&text);
        let function = described(&file, &facts, &["", "return"]);
        assert_eq!((function.scopes.len(), function.variables.len()), (DEEPEST as usize + 1, depth));
        assert!(function.variables.iter().all(|row| (row.scope as usize) < function.scopes.len()));
    }

    #[test]
    fn types_are_told_once_and_open_arrays_are_pointers() {
        let (_, facts) = facts(
            "const int c[2] = {1, 2}; int f(int a[], float b[][3], int n) { int d[2][3]; int e[2][3]; return c[n]; }\n\
             int main() { return 0; }",
        );
        let fact = &facts.functions[FuncId::new(0)];
        let shown = |ty: Type| format!("{:?}", facts.types.rows[ty]);
        let types: Vec<String> = fact.variables.iter().map(|row| shown(row.ty)).collect();
        let number = |row: &TypeRow| facts.types.of[row];
        let (int, float) = (number(&TypeRow::Int), number(&TypeRow::Float));
        let rows = number(&TypeRow::Array(float, vec![3]));
        let expected = [
            TypeRow::Pointer(int),
            TypeRow::Pointer(rows),
            TypeRow::Int,
            TypeRow::Array(int, vec![2, 3]),
            TypeRow::Array(int, vec![2, 3]),
        ];
        assert_eq!(types, expected.map(|row| format!("{row:?}")));
        let of_c = TypeRow::Array(number(&TypeRow::Const(int)), vec![2]);
        assert_eq!((facts.globals[0].ty, facts.types.rows.len()), (number(&of_c), 8));
    }
}
