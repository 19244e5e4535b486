//! What debuggers are told of functions: the facts of the source, joined with their code. Linear in the places of the
//! code times the depth of scopes and of inlined calls, which are bounded.
//!
//! A row of code is from a scope of some function's text; it belongs to that scope, to those around it, and, if that text
//! is there for a call, to the call and to the scopes in which that stands.

use super::metadata::{self, Nodes};
use super::{Facts, FunctionFact, VariableFact};
use crate::backend::code::Homes;
use crate::base::{Column, Handle, Name, Opt};
use crate::ir::{Env, FuncId, GlobalId};
use crate::lower::USER;
use crate::object::assemble;
use crate::object::code::{self, BODY, Code, Location, Spot};
use crate::object::debug::{Call, Debug, Function, Home, LineRow, Scope, Span, Variable};
use crate::object::module::Binding;
use crate::source::SourceFile;
use crate::source::file::ColumnCursor;
use std::borrow::Cow;

/// What debuggers are told of a program, given its functions by number, and where the variables of each are.
pub fn program<'a>(
    env: &'a Env,
    (file, facts, nodes): (&'a SourceFile, &'a Facts, Option<&'a Nodes<'a>>),
    functions: &[assemble::Function],
    homes: &Column<FuncId, Homes>,
) -> Debug<'a> {
    if let Some((nodes, text)) = nodes.zip(std::str::from_utf8(&file.text).ok()) {
        return metadata::program(env, text, nodes, &facts.told, functions, homes);
    }
    let mut data: Column<Name, Opt<GlobalId>> = Column::filled(env.names.len(), Opt::NONE);
    for (global, row) in env.globals.iter() {
        data[row.name] = Opt::some(global);
    }
    let datum = |text: &str| {
        let known = |text: &str| env.names.find(text).and_then(|name| data[name].get());
        known(text).or_else(|| known(&format!("{text}{USER}"))).map(|global| global.index() as u32)
    };
    let mut is_inlined: Column<FuncId, bool> = Column::filled(env.funcs.len(), false);
    for call in
        functions.iter().filter_map(|function| function.code.as_ref()).flat_map(|code| &code.debug().calls)
    {
        let func = FuncId::new(call.func as usize);
        if func.index() < facts.functions.len() && func.index() < is_inlined.len() {
            is_inlined[func] = true;
        }
    }
    let none = Code::default();
    let described = env.funcs.iter().zip(functions).filter_map(|((func, row), function)| {
        let name = env.names.text(row.name);
        let name = name.strip_suffix(USER).unwrap_or(name);
        let number = func.index() as u32;
        let is_seen = function.binding != Binding::Local;
        let code = function.code.as_ref().or(is_inlined[func].then_some(&none))?;
        let described = facts.describe(file, number, (name, is_seen), code, &homes[func]);
        let lines = if function.code.is_some() { described.lines } else { Vec::new() };
        Some(Function { is_inlined: is_inlined[func], lines, ..described })
    });
    Debug {
        producer: concat!("sysyc ", env!("CARGO_PKG_VERSION")),
        file: Cow::Borrowed(&facts.told.file),
        folder: Cow::Borrowed(&facts.told.folder),
        more_files: Cow::Borrowed(&facts.more_files),
        types: facts.types.rows.clone(),
        functions: described.collect(),
        globals: facts.globals(file, datum),
    }
}

impl Facts {
    /// What debuggers are told of a function by its number; without facts of it (IR in text), only its name.
    pub(super) fn describe<'a>(
        &'a self,
        file: &'a SourceFile,
        number: u32,
        (name, global): (&'a str, bool),
        code: &Code,
        homes: &Homes,
    ) -> Function<'a> {
        let mut function = Function::named(number, name, global);
        let Some(fact) = self.functions.get(FuncId::new(number as usize)) else { return function };
        function.line = file.line(fact.offset);
        function.result = fact.result;
        let mut home_of = homes.to_vec();
        home_of.sort_unstable_by_key(|row| row.0);
        let row = |variable: &VariableFact| {
            let known = home_of
                .binary_search_by_key(&(variable.sym.index() as u32), |row| row.0)
                .map(|k| home_of[k].1);
            variable.told(file, known.unwrap_or(Home::Lost))
        };
        function.variables = fact.variables.iter().map(row).collect();
        // Where arguments are stored to slots, they are shown from the first statement on.
        let is_stored = |row: &Variable| row.is_parameter && matches!(row.home, Home::Frame(_));
        let begin = self.statements.partition_point(|&start| start <= fact.offset);
        let begin = self.statements.get(begin).filter(|_| !function.variables.iter().any(is_stored));
        function.lines = self.lines(file, fact, code, begin.copied().unwrap_or(u32::MAX));
        function.scopes = bare(fact);
        function.calls = code.debug().calls.iter().map(|row| self.call(file, row, code)).collect();
        self.pieces(fact, code, &mut function);
        if !code.debug().locations.is_empty() {
            self.spans(fact, code, &mut function);
        }
        function
    }

    /// The facts of the function that a call calls.
    fn called(&self, row: &code::CallRow) -> Option<&FunctionFact> {
        self.functions.get(FuncId::new(row.func as usize))
    }

    /// The description of an inlined call, but for its code.
    fn call<'a>(&'a self, file: &'a SourceFile, row: &code::CallRow, code: &Code) -> Call<'a> {
        let fact = self.called(row);
        let outer = row.parent.get().and_then(|parent| self.called(code.debug().calls.get(parent.index())?));
        let scope = outer.map_or(0, |outer| outer.scope_at(row.at));
        let is_known = row.at != u32::MAX;
        let (line, column) =
            if is_known { ColumnCursor::default().line_column(file, row.at) } else { (0, 0) };
        let variables = fact.map_or(&[][..], |fact| &fact.variables);
        Call {
            number: row.func,
            parent: row.parent.get().map(|parent| parent.index() as u32),
            scope: scope as u32,
            line,
            column,
            pieces: Vec::new(),
            entry: 0,
            scopes: fact.map(bare).unwrap_or_default(),
            variables: variables.iter().map(|row| row.told(file, Home::Lost)).collect(),
        }
    }

    /// Variables and constants outside of functions; `datum` has the number of the datum of a name, if there
    /// is one.
    fn globals<'a>(&self, file: &'a SourceFile, datum: impl Fn(&str) -> Option<u32>) -> Vec<Variable<'a>> {
        let home = |fact: &VariableFact| datum(fact.name(file)).map_or(Home::Lost, Home::Datum);
        self.globals.iter().map(|fact| fact.told(file, home(fact))).collect()
    }

    /// The line table of a function, whose body stands for the place `begin` where it stands for none.
    fn lines(&self, file: &SourceFile, fact: &FunctionFact, code: &Code, begin: u32) -> Vec<LineRow> {
        let mut cursor = ColumnCursor::default();
        let (line, column) = cursor.line_column(file, fact.offset);
        let head = LineRow { offset: 0, place: None, line, column, is_statement: true, prologue_end: false };
        let mut rows = vec![head];
        // Of the function itself, and of each inlined call: the statement that the last row of its text belongs to, and
        // the last of its lines that was come to. The line of the last row of all.
        let mut texts = vec![(usize::MAX, 0); 1 + code.debug().calls.len()];
        // Statements that have begun in this block: text, copy of it, statement, and the last line.
        let mut begun: Vec<(usize, u32, usize, u32)> = Vec::new();
        let mut blocks = code.debug().blocks.iter().peekable();
        let mut shown = 0;
        for (number, place) in (0..).zip(&code.debug().lines) {
            if std::iter::from_fn(|| blocks.next_if(|&&block| block <= place.offset)).last().is_some() {
                begun.clear();
            }
            let loc = if place.loc == BODY { begin } else { place.loc };
            let text = place.call.get().map_or(0, |call| 1 + call.index());
            let Some(last) = texts.get_mut(text).filter(|_| loc != u32::MAX) else { continue };
            let statement = self.statements.partition_point(|&start| start <= loc);
            let known = begun
                .iter()
                .rev()
                .take(MOST_BEGUN)
                .find(|row| (row.0, row.1, row.2) == (text, place.version, statement));
            let furthest = match known {
                Some(row) => row.3,
                None if statement == last.0 => last.1,
                None => 0,
            };
            let (mut line, mut column) = cursor.line_column(file, loc);
            if furthest == 0 {
                let start = statement.checked_sub(1).map_or(loc, |k| self.statements[k]);
                let begins = cursor.line_column(file, start);
                if begins.0 == line {
                    (line, column) = begins;
                }
            }
            let is_statement = line > furthest;
            *last = (statement, line.max(furthest));
            begun.push((text, place.version, statement, line.max(furthest)));
            if is_statement || line != shown {
                let prologue_end = rows.len() == 1;
                let (offset, place) = (place.offset, Some(number));
                rows.push(LineRow { offset, place, line, column, is_statement, prologue_end });
            }
            shown = line;
        }
        rows
    }

    /// Says which pieces of code belong to each scope and inlined call.
    fn pieces(&self, fact: &FunctionFact, code: &Code, function: &mut Function) {
        // The calls that the last place is in, the innermost first, with its scope in each; last the function itself.
        let mut inside: Vec<(Option<usize>, usize)> = Vec::new();
        for (k, place) in code.debug().lines.iter().enumerate() {
            if place.loc < BODY {
                inside.clear();
                let (mut call, mut loc) = (place.call.get(), place.loc);
                while let Some((number, row)) =
                    call.and_then(|call| Some((call.index(), code.debug().calls.get(call.index())?)))
                {
                    let scope = self.called(row).map_or(0, |fact| fact.scope_at(loc));
                    inside.push((Some(number), scope));
                    (call, loc) = (row.parent.get(), row.at);
                }
                inside.push((None, fact.scope_at(loc)));
            }
            let end = code.debug().lines.get(k + 1).map_or(code.bytes.len() as u32, |next| next.offset);
            let piece = (place.offset, end);
            for &(call, scope) in inside.iter().filter(|_| end > place.offset) {
                let scopes = match call.and_then(|call| function.calls.get_mut(call)) {
                    Some(call) => {
                        add(&mut call.pieces, piece);
                        &mut call.scopes
                    }
                    None => &mut function.scopes,
                };
                let mut scope = scope;
                while let Some(row) = scopes.get_mut(scope).filter(|_| scope != 0) {
                    add(&mut row.pieces, piece);
                    scope = row.parent as usize;
                }
            }
        }
        entries(code, &mut function.calls);
        // A call stands in a scope of the function itself, whose facts it does not have.
        for (call, row) in function.calls.iter_mut().zip(&code.debug().calls) {
            if row.parent.is_none() {
                call.scope = fact.scope_at(row.at) as u32;
            }
        }
    }

    /// Says where the variables are that have no home.
    fn spans(&self, fact: &FunctionFact, code: &Code, function: &mut Function) {
        let key = |call: Opt<code::Call>| call.get().map_or(0, |call| 1 + call.index() as u32);
        let mut shown: Vec<Location> = code.debug().locations.clone();
        shown.sort_by_key(|shown| (key(shown.call), shown.variable));
        let all = [(0, code.bytes.len() as u32)];
        let Function { variables, scopes, calls, .. } = function;
        in_text(&fact.variables, variables, (&all, scopes), &shown, 0);
        for (number, (call, row)) in (1..).zip(calls.iter_mut().zip(&code.debug().calls)) {
            let facts = self.called(row).map_or(&[][..], |fact| &fact.variables);
            let Call { variables, scopes, pieces, .. } = call;
            in_text(facts, variables, (pieces, scopes), &shown, number);
        }
    }
}

impl FunctionFact {
    /// The scope of a place in the function.
    pub(super) fn scope_at(&self, loc: u32) -> usize {
        let mut scope = self.scopes.partition_point(|scope| scope.start <= loc).saturating_sub(1);
        while scope != 0 && self.scopes.get(scope).is_some_and(|row| row.end < loc) {
            scope = self.scopes[scope].parent as usize;
        }
        scope
    }
}

/// Says where inlined calls begin: where the first thing of their text is done that there is code of, in the first copy.
pub(super) fn entries(code: &Code, calls: &mut [Call]) {
    let mut first: Vec<u32> = vec![u32::MAX; calls.len()];
    for (k, place) in code.debug().lines.iter().enumerate() {
        let end = code.debug().lines.get(k + 1).map_or(code.bytes.len() as u32, |next| next.offset);
        // What is in another call is done where that stands.
        let (mut call, mut loc) = (place.call.get(), place.loc);
        while let Some(number) =
            call.map(|call| call.index()).filter(|_| end > place.offset && place.loc < BODY)
        {
            if let (Some(first), Some(call)) = (first.get_mut(number), calls.get_mut(number))
                && loc < *first
            {
                (*first, call.entry) = (loc, place.offset);
            }
            let row = code.debug().calls.get(number);
            (call, loc) = row.map_or((None, loc), |row| (row.parent.get(), row.at));
        }
    }
}

/// Rows of a block that are looked at, from the last one back, for the statement that a row goes on with: what bounds the walk
/// for each row. A statement whose last row is further back begins again, so that a debugger stops once more for it.
const MOST_BEGUN: usize = 32;

/// The scopes of a function, without code.
fn bare(fact: &FunctionFact) -> Vec<Scope> {
    fact.scopes.iter().map(|scope| Scope { parent: scope.parent, pieces: Vec::new() }).collect()
}

/// Appends a piece of code.
fn add(pieces: &mut Vec<(u32, u32)>, (start, end): (u32, u32)) {
    match pieces.last_mut() {
        Some(piece) if piece.1 == start => piece.1 = end,
        _ => pieces.push((start, end)),
    }
}

/// Says where the variables of one text are: all of its code is in `pieces`.
fn in_text(
    facts: &[VariableFact],
    variables: &mut [Variable],
    (pieces, scopes): (&[(u32, u32)], &[Scope]),
    shown: &[Location],
    text: u32,
) {
    let end = pieces.last().map_or(0, |piece| piece.1);
    for (fact, variable) in facts.iter().zip(variables) {
        let key = (text, fact.sym.index() as u32);
        let of = |row: &Location| (row.call.get().map_or(0, |call| 1 + call.index() as u32), row.variable);
        let rest = shown.get(shown.partition_point(|row| of(row) < key)..).unwrap_or_default();
        let count = rest.iter().take_while(|row| of(row) == key).count();
        if variable.home != Home::Lost || count == 0 {
            continue;
        }
        let pieces = match fact.scope {
            0 => pieces,
            scope => scopes.get(scope as usize).map_or(&[][..], |scope| &scope.pieces),
        };
        for (k, &Location { offset, at, .. }) in rest[..count].iter().enumerate() {
            let Some(at) = at else { continue };
            let end = rest[..count].get(k + 1).map_or(end, |next| next.offset);
            within(&mut variable.spans, (offset, end), at, pieces);
        }
    }
}

/// Appends the parts of a piece of code that are in one of some ascending pieces.
pub(super) fn within(spans: &mut Vec<Span>, (start, end): (u32, u32), at: Spot, pieces: &[(u32, u32)]) {
    let first = pieces.partition_point(|piece| piece.1 <= start);
    for &(from, to) in pieces[first..].iter().take_while(|piece| piece.0 < end) {
        let (start, end) = (start.max(from), end.min(to));
        match spans.last_mut() {
            Some(last) if last.end == start && last.at == at => last.end = end,
            _ if start < end => spans.push(Span { start, end, at }),
            _ => {}
        }
    }
}
