//! What debuggers are told of a program in LLVM text that has debug metadata of its own (`ir/parse/debug_info`): lines, functions,
//! scopes and variables of the source that it was made from.
//!
//! A place of the code is where an instruction stands in the text. What is attached there says line and scope, and of which
//! inlined calls of the text; calls that passes have inlined stand around those. Both are one tree of calls here. A variable is
//! called by where the text first names it in a function (`ir/parse/debug_records`).
//!
//! Linear in places times the depth of calls, which is bounded, and in nodes.

use super::Told;
use super::describe::within;
use super::types::Types;
use crate::backend::code::Homes;
use crate::base::{Column, Handle, Opt};
pub use crate::ir::parse::debug_info::Nodes;
use crate::ir::parse::debug_info::{Field, Node, attached, operand, plain, record};
use crate::ir::{Env, FuncId, GlobalId};
use crate::mir::inlined::DEEPEST as DEEPEST_CALL;
use crate::object::assemble;
use crate::object::code::{self, BODY, Code};
use crate::object::debug::{Call, DEEPEST, Debug, Function, Home, LineRow, Scope, Variable};
use crate::object::module::Binding;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Scopes that are looked through on the way to a function: nodes of a text may name each other in a ring.
const LONGEST: usize = 1 << 10;

/// Lines of a file; those of the next one follow.
const LINES: u32 = 1 << 22;

/// A function of the source.
#[derive(Debug, Default)]
struct Subprogram {
    /// Its number among the functions that are told of.
    number: u32,
    /// Blocks that declare something: node, the scope around it, and in how many scopes it is; scope `k + 1` is block `k`.
    blocks: Vec<(u32, u32, u32)>,
    /// Variables in the order in which they are told, each with its scope; and which one each node is.
    variables: Vec<(u32, u32)>,
    numbers: BTreeMap<u32, usize>,
}

/// A line of the source, in a scope of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    subprogram: u32,
    scope: u32,
    line: u32,
    column: u32,
}

/// A line, and the path to it: a row of `Maker::function`'s paths.
type Place = (At, usize);

/// By what an inlined call is known: the call around it, what it calls, and where it stands.
type Key = (Option<u32>, u32, At);

struct Maker<'a> {
    text: &'a str,
    nodes: &'a Nodes<'a>,
    /// The files of the source, by number, and the number of each node.
    files: Vec<u32>,
    file_numbers: BTreeMap<u32, u32>,
    types: Types<'a>,
    subprograms: BTreeMap<u32, Subprogram>,
    /// Of functions and their blocks: the number of the scope.
    blocks: BTreeMap<(u32, u32), u32>,
    /// Per function of the program: what it is in the source.
    of_func: BTreeMap<u32, u32>,
}

/// The nodes of a text, if it has some of its source.
pub(super) fn nodes(text: &str) -> Option<Nodes<'_>> {
    Nodes::of(text)
}

/// What debuggers are told of a program, given its functions by number, and where the variables of each are.
pub(super) fn program<'a>(
    env: &'a Env,
    text: &'a str,
    nodes: &'a Nodes<'a>,
    told: &'a Told,
    functions: &[assemble::Function],
    homes: &Column<FuncId, Homes>,
) -> Debug<'a> {
    let mut maker = Maker {
        text,
        nodes,
        files: Vec::new(),
        file_numbers: BTreeMap::new(),
        types: Types::new(nodes),
        subprograms: BTreeMap::new(),
        blocks: BTreeMap::new(),
        of_func: BTreeMap::new(),
    };
    let unit = nodes.named("llvm.dbg.cu").list().flatten().next().unwrap_or(u32::MAX);
    let file = nodes.get(unit).node("file").unwrap_or(u32::MAX);
    maker.files.push(file);
    maker.file_numbers.insert(file, 0);
    let data = maker.definitions(env);
    maker.functions_of_source(functions.len() as u32);
    if told.only_lines {
        maker
            .subprograms
            .values_mut()
            .for_each(|row| *row = Subprogram { number: row.number, ..Subprogram::default() });
    }
    let mut described: Vec<Function> = Vec::new();
    for ((func, row), function) in env.funcs.iter().zip(functions) {
        let Some(code) = &function.code else { continue };
        let number = func.index() as u32;
        let is_seen = function.binding != Binding::Local;
        described.push(match maker.of_func.get(&number) {
            Some(&subprogram) => maker.function(subprogram, number, is_seen, code, &homes[func]),
            None => Function::named(number, env.names.text(row.name), is_seen),
        });
    }
    // What stands in the code of others.
    let mut inlined: Vec<u32> = described.iter().flat_map(|row| &row.calls).map(|call| call.number).collect();
    inlined.sort_unstable();
    inlined.dedup();
    described.iter_mut().for_each(|row| row.is_inlined = inlined.binary_search(&row.number).is_ok());
    let all: Vec<(u32, u32)> = maker.subprograms.iter().map(|(&node, row)| (node, row.number)).collect();
    // So far by ascending number.
    let there: Vec<u32> = described.iter().map(|row| row.number).collect();
    for (node, number) in all {
        let is_there = there.binary_search(&number).is_ok();
        if !is_there && inlined.binary_search(&number).is_ok() {
            described.push(Function { is_inlined: true, ..maker.said(node, number) });
        }
    }
    described.sort_by_key(|row| row.number);
    let globals = if told.only_lines { Vec::new() } else { maker.globals(&data, &mut described) };
    let Maker { files, types, .. } = maker;
    let folder = plain(nodes.get(file).text("directory"));
    let path = |file: u32| {
        let (name, of) = (plain(nodes.get(file).text("filename")), plain(nodes.get(file).text("directory")));
        let is_whole = of == folder || of.is_empty() || name.starts_with('/');
        if is_whole { name.into_owned() } else { format!("{of}/{name}") }
    };
    let more = files.iter().enumerate().skip(1).map(|(k, &file)| (k as u32 * LINES + 1, path(file)));
    Debug {
        producer: concat!("sysyc ", env!("CARGO_PKG_VERSION")),
        file: Cow::Owned(path(file)),
        more_files: Cow::Owned(more.collect()),
        folder,
        types: types.finish(),
        functions: described,
        globals,
    }
}

impl<'a> Maker<'a> {
    /// Which functions are which of the source; the data of each node of a variable of the source.
    fn definitions(&mut self, env: &Env) -> BTreeMap<u32, GlobalId> {
        let mut globals: BTreeMap<&str, GlobalId> = BTreeMap::new();
        for (global, row) in env.globals.iter() {
            globals.insert(env.names.text(row.name), global);
        }
        let mut functions: BTreeMap<&str, FuncId> = BTreeMap::new();
        for (func, row) in env.funcs.iter() {
            functions.insert(env.names.text(row.name), func);
        }
        let mut data = BTreeMap::new();
        for line in self.text.split('\n').filter(|line| line.starts_with("define ") || line.starts_with('@'))
        {
            let Some((_, rest)) = line.split_once('@') else { continue };
            let name = match rest.strip_prefix('"') {
                Some(rest) => rest.split('"').next().map(plain),
                None => rest.split([' ', '(']).next().map(Cow::Borrowed),
            };
            let (Some(name), Some(node)) = (name, attached(line, 0)) else { continue };
            if line.starts_with('@') {
                data.extend(globals.get(&*name).map(|&global| (node, global)));
            } else if let Some(func) = functions.get(&*name) {
                self.of_func.insert(func.index() as u32, node);
            }
        }
        data
    }

    /// The subprogram that a scope is in.
    fn subprogram_of(&self, scope: u32) -> Option<u32> {
        let mut at = scope;
        for _ in 0..LONGEST {
            let node = self.nodes.get(at);
            if node.kind == "DISubprogram" {
                return Some(at);
            }
            at = node.node("scope").filter(|_| node.kind.starts_with("DILexicalBlock"))?;
        }
        None
    }

    /// Collects functions, their blocks and variables.
    fn functions_of_source(&mut self, first: u32) {
        let number: BTreeMap<u32, u32> = self.of_func.iter().map(|(&func, &node)| (node, func)).collect();
        for (k, (node, _)) in (first..).zip(self.nodes.of_kind("DISubprogram")) {
            let number = number.get(&node).copied().unwrap_or(k);
            self.subprograms.insert(node, Subprogram { number, ..Subprogram::default() });
        }
        let mut variables: Vec<(u32, i64, u32, u32)> = Vec::new();
        for (node, row) in self.nodes.of_kind("DILocalVariable") {
            if let Some(scope) = row.node("scope")
                && let Some(subprogram) = self.subprogram_of(scope)
            {
                let arg = if row.int("arg") == 0 { i64::MAX } else { row.int("arg") };
                variables.push((subprogram, arg, node, scope));
            }
        }
        variables.sort_unstable();
        for (subprogram, _, node, scope) in variables {
            let scope = self.block(subprogram, scope);
            if let Some(row) = self.subprograms.get_mut(&subprogram) {
                row.numbers.insert(node, row.variables.len());
                row.variables.push((node, scope));
            }
        }
    }

    /// The scope that a node is in its function, which gets one.
    fn block(&mut self, subprogram: u32, scope: u32) -> u32 {
        let mut missing: Vec<u32> = Vec::new();
        let (mut at, mut around) = (scope, 0);
        while at != subprogram && missing.len() < LONGEST {
            if let Some(known) = self.known_block(subprogram, at) {
                around = known;
                break;
            }
            let node = self.nodes.get(at);
            if node.kind == "DILexicalBlock" {
                missing.push(at);
            }
            let Some(next) = node.node("scope") else { break };
            at = next;
        }
        let Some(row) = self.subprograms.get_mut(&subprogram) else { return 0 };
        // Readers of DWARF recurse: what is deeper is part of the last one.
        let mut depth = around.checked_sub(1).map_or(0, |k| row.blocks[k as usize].2);
        for &node in missing.iter().rev() {
            if depth < DEEPEST {
                depth += 1;
                row.blocks.push((node, around, depth));
                around = row.blocks.len() as u32;
            }
            self.blocks.insert((subprogram, node), around);
        }
        around
    }

    fn known_block(&self, subprogram: u32, node: u32) -> Option<u32> {
        self.blocks.get(&(subprogram, node)).copied()
    }

    /// The innermost scope that is told of, from a node.
    fn scope_at(&self, subprogram: u32, scope: u32) -> u32 {
        let mut at = scope;
        for _ in 0..LONGEST {
            if let Some(known) = self.known_block(subprogram, at) {
                return known;
            }
            match self.nodes.get(at).node("scope").filter(|_| at != subprogram) {
                Some(next) => at = next,
                None => break,
            }
        }
        0
    }

    /// A line of a file among those of all files; 0 if it is not known.
    fn line(&mut self, file: Option<u32>, line: i64) -> u32 {
        let line = u32::try_from(line).ok().filter(|line| (1..LINES).contains(line));
        let (Some(file), Some(line)) = (file, line) else { return 0 };
        let number = match self.file_numbers.get(&file) {
            Some(&number) => number,
            None => {
                // Two nodes may be of one file.
                let of = |file: u32| {
                    (self.nodes.get(file).text("directory"), self.nodes.get(file).text("filename"))
                };
                let known = self.files.iter().position(|&other| of(other) == of(file));
                let number = known.unwrap_or(self.files.len()) as u32;
                if known.is_none() {
                    self.files.push(file);
                }
                self.file_numbers.insert(file, number);
                number
            }
        };
        if number < u32::MAX / LINES { number * LINES + line } else { 0 }
    }

    /// Appends where a location is, and where the calls are that it is in, from the innermost on.
    fn locations(&mut self, location: u32, levels: &mut Vec<At>) {
        let mut at = Some(location);
        while let Some(node) = at.map(|at| self.nodes.get(at)).filter(|_| levels.len() < 1 << 8) {
            let Some(scope) = node.node("scope") else { break };
            let Some(subprogram) = self.subprogram_of(scope) else { break };
            let line = self.line(self.nodes.get(scope).node("file"), node.int("line"));
            let column = u32::try_from(node.int("column")).unwrap_or(0);
            let scope = self.scope_at(subprogram, scope);
            levels.push(At { subprogram, scope, line, column });
            at = node.node("inlinedAt");
        }
    }

    /// The same of a location and the calls that passes have inlined.
    fn levels(&mut self, code: &Code, location: Option<u32>, call: Opt<code::Call>) -> Option<Vec<At>> {
        let mut levels = Vec::new();
        self.locations(location?, &mut levels);
        let mut call = call.get();
        while let Some(row) = call.and_then(|call| code.debug().calls.get(call.index())) {
            // A call without a location is where its function begins.
            match attached(self.text, row.at) {
                Some(location) => self.locations(location, &mut levels),
                None => {
                    let parent = row.parent.get().and_then(|parent| code.debug().calls.get(parent.index()));
                    let func = parent.map(|parent| parent.func)?;
                    let &subprogram = self.of_func.get(&func)?;
                    levels.push(At { subprogram, scope: 0, line: 0, column: 0 });
                }
            }
            call = row.parent.get();
        }
        let deep = levels.len().saturating_sub(DEEPEST_CALL as usize);
        levels.drain(..deep);
        (!levels.is_empty()).then_some(levels)
    }

    /// What the source says of a function.
    fn said(&mut self, node: u32, number: u32) -> Function<'a> {
        let row = self.nodes.get(node);
        let result = row.node("type").map(|ty| self.nodes.get(ty)).and_then(|ty| ty.node("types"));
        let result = result.and_then(|list| self.nodes.get(list).list().next().flatten());
        let result = result.map(|ty| self.types.of(Some(ty)));
        let is_seen = !row.has("spFlags", "DISPFlagLocalToUnit");
        let line = self.line(row.node("file"), row.int("line"));
        let (scopes, variables) = self.text_of(node);
        let name = plain(row.text("name"));
        Function { line, result, scopes, variables, ..Function::named(number, name, is_seen) }
    }

    /// The scopes and variables of a function.
    fn text_of(&mut self, node: u32) -> (Vec<Scope>, Vec<Variable<'a>>) {
        let Some(row) = self.subprograms.get(&node) else { return (vec![Scope::default()], Vec::new()) };
        let around = [0].into_iter().chain(row.blocks.iter().map(|block| block.1));
        let scopes = around.map(|parent| Scope { parent, pieces: Vec::new() }).collect();
        let rows = row.variables.clone();
        let variables = rows.into_iter().map(|(node, scope)| {
            let row = self.nodes.get(node);
            Variable {
                name: plain(row.text("name")),
                line: self.line(row.node("file"), row.int("line")),
                ty: self.types.of(row.node("type")),
                home: Home::Lost,
                spans: Vec::new(),
                scope,
                is_parameter: row.int("arg") != 0,
            }
        });
        (scopes, variables.collect())
    }

    /// What is told of a function that has code.
    fn function(
        &mut self,
        subprogram: u32,
        number: u32,
        global: bool,
        code: &Code,
        homes: &Homes,
    ) -> Function<'a> {
        let mut function = Function { global, ..self.said(subprogram, number) };
        let mut calls: BTreeMap<Key, u32> = BTreeMap::new();
        // Calls that a place is in, with its scope in each, from the function on: once for all places of a location and a call.
        let mut paths: Vec<Vec<(Option<u32>, u32)>> = vec![vec![(None, 0)]];
        let mut known: BTreeMap<(Option<u32>, Option<usize>), Option<Place>> = BTreeMap::new();
        // Per place: its line, if it has one, and its path, which is that of the place before if it has none.
        let mut places: Vec<(Option<At>, usize)> = Vec::with_capacity(code.debug().lines.len());
        for place in &code.debug().lines {
            let location = (place.loc < BODY).then(|| attached(self.text, place.loc)).flatten();
            let key = (location, place.call.get().map(|call| call.index()));
            let there = match known.get(&key) {
                Some(&there) => there,
                None => {
                    let there = self.levels(code, location, place.call).and_then(|levels| {
                        paths.push(self.path(&levels, &mut calls, &mut function.calls));
                        Some((*levels.first()?, paths.len() - 1))
                    });
                    known.insert(key, there);
                    there
                }
            };
            let before = places.last().map_or(0, |place| place.1);
            places.push(there.map_or((None, before), |(at, path)| (Some(at), path)));
        }
        for (k, (place, &(_, path))) in code.debug().lines.iter().zip(&places).enumerate() {
            let end = code.debug().lines.get(k + 1).map_or(code.bytes.len() as u32, |next| next.offset);
            for &(call, scope) in paths[path].iter().filter(|_| place.offset < end) {
                add_piece(&mut function, call, scope, (place.offset, end));
            }
        }
        function
            .calls
            .iter_mut()
            .for_each(|call| call.entry = call.pieces.first().map_or(0, |piece| piece.0));
        self.variables(code, homes, &calls, &mut function);
        let has_stored =
            function.variables.iter().any(|row| row.is_parameter && matches!(row.home, Home::Frame(_)));
        let row = self.nodes.get(subprogram);
        let opening = self.line(row.node("file"), row.int("scopeLine").max(row.int("line")));
        function.lines = lines(code, &places, function.line, (!has_stored).then_some(opening));
        function
    }

    /// The way from a function to what levels say, from the innermost on; calls that are new are appended.
    fn path(
        &mut self,
        levels: &[At],
        calls: &mut BTreeMap<Key, u32>,
        rows: &mut Vec<Call<'a>>,
    ) -> Vec<(Option<u32>, u32)> {
        let mut path = Vec::with_capacity(levels.len());
        let mut call: Option<u32> = None;
        for (k, at) in levels.iter().enumerate().rev() {
            if let Some(&site) = levels.get(k + 1) {
                let key = (call, at.subprogram, site);
                let number = rows.len() as u32;
                let known = *calls.entry(key).or_insert(number);
                if known == number {
                    let (scopes, variables) = self.text_of(at.subprogram);
                    rows.push(Call {
                        number: self.subprograms.get(&at.subprogram).map_or(u32::MAX, |row| row.number),
                        parent: call,
                        scope: site.scope,
                        line: site.line,
                        column: site.column,
                        pieces: Vec::new(),
                        entry: 0,
                        scopes,
                        variables,
                    });
                }
                call = Some(known);
            }
            path.push((call, at.scope));
        }
        path
    }

    /// Says where variables are.
    fn variables(
        &mut self,
        code: &Code,
        homes: &Homes,
        calls: &BTreeMap<Key, u32>,
        function: &mut Function<'a>,
    ) {
        for &(number, home) in homes {
            if let Some((call, k)) = self.variable(code, number, Opt::NONE, calls)
                && let Some(row) = variables_of(function, call).get_mut(k)
            {
                row.home = home;
            }
        }
        let mut shown: Vec<&code::Location> = code.debug().locations.iter().collect();
        let key = |row: &code::Location| (row.call.get().map(|call| call.index()), row.variable);
        shown.sort_by_key(|row| key(row));
        for rows in shown.chunk_by(|a, b| key(a) == key(b)) {
            let Some(&&first) = rows.first() else { continue };
            let Some((call, k)) = self.variable(code, first.variable, first.call, calls) else { continue };
            let all = [(0, code.bytes.len() as u32)];
            let scope = variables_of(function, call).get(k).map_or(0, |row| row.scope as usize);
            let inlined = call.and_then(|call| function.calls.get(call as usize));
            let scopes = inlined.map_or(&function.scopes, |call| &call.scopes);
            let pieces = match scope {
                0 => inlined.map_or(&all[..], |call| &call.pieces),
                scope => scopes.get(scope).map_or(&[][..], |scope| &scope.pieces),
            };
            let mut spans = Vec::new();
            for (k, row) in rows.iter().enumerate() {
                let end = rows.get(k + 1).map_or(code.bytes.len() as u32, |next| next.offset);
                if let Some(at) = row.at {
                    within(&mut spans, (row.offset, end), at, pieces);
                }
            }
            if let Some(row) = variables_of(function, call).get_mut(k) {
                row.spans.append(&mut spans);
                row.spans.sort_by_key(|span| span.start);
            }
        }
    }

    /// Which variable of which call the number of one is.
    fn variable(
        &mut self,
        code: &Code,
        number: u32,
        call: Opt<code::Call>,
        calls: &BTreeMap<Key, u32>,
    ) -> Option<(Option<u32>, usize)> {
        let said = record(self.text, number)?;
        let levels = self.levels(code, Some(said.location), call)?;
        let mut call: Option<u32> = None;
        for (k, at) in levels.iter().enumerate().rev() {
            if let Some(&site) = levels.get(k + 1) {
                call = Some(*calls.get(&(call, at.subprogram, site))?);
            }
        }
        let of = self.subprograms.get(&levels.first()?.subprogram)?;
        Some((call, *of.numbers.get(&said.variable)?))
    }

    /// Variables outside of functions; those that functions keep are added to them.
    fn globals(
        &mut self,
        data: &BTreeMap<u32, GlobalId>,
        functions: &mut [Function<'a>],
    ) -> Vec<Variable<'a>> {
        let mut globals = Vec::new();
        let unit = self.nodes.named("llvm.dbg.cu").list().flatten().next().unwrap_or(u32::MAX);
        let list = self.nodes.get(unit).node("globals").unwrap_or(u32::MAX);
        let listed = self.nodes.get(list).list().flatten().filter(|node| !data.contains_key(node));
        let numbers = listed.filter_map(|node| Some((node, Home::Value(constant(self.nodes.get(node))?))));
        let places = data.iter().map(|(&node, global)| (node, Home::Datum(global.index() as u32)));
        for (node, home) in places.chain(numbers) {
            let row = self.nodes.get(node);
            let row = row.node("var").map_or(row, |var| self.nodes.get(var));
            if row.kind != "DIGlobalVariable" || row.text("name").is_empty() {
                continue;
            }
            let owner = row.node("scope").and_then(|scope| self.subprogram_of(scope));
            let scope = owner.zip(row.node("scope")).map_or(0, |(owner, scope)| self.scope_at(owner, scope));
            let variable = Variable {
                name: plain(row.text("name")),
                line: self.line(row.node("file"), row.int("line")),
                ty: self.types.of(row.node("type")),
                home,
                spans: Vec::new(),
                scope,
                is_parameter: false,
            };
            let number = owner.and_then(|owner| self.subprograms.get(&owner)).map(|row| row.number);
            let at = number.and_then(|number| functions.binary_search_by_key(&number, |row| row.number).ok());
            let function = at.and_then(|at| functions.get_mut(at));
            match function.filter(|row| !row.is_inlined) {
                Some(function) => function.variables.push(variable),
                None => globals.push(variable),
            }
        }
        globals
    }
}

/// The number that a variable without a place is.
fn constant(node: &Node) -> Option<i64> {
    let Some(Field::Other(expression)) = node.get("expr") else { return None };
    let inside = expression.strip_prefix("!DIExpression(")?.strip_suffix(", DW_OP_stack_value)")?;
    match inside.split_once(", ")? {
        ("DW_OP_constu" | "DW_OP_consts", number) => operand(number),
        _ => None,
    }
}

fn variables_of<'b, 'a>(function: &'b mut Function<'a>, call: Option<u32>) -> &'b mut [Variable<'a>] {
    match call {
        Some(call) => function.calls.get_mut(call as usize).map_or(&mut [], |call| &mut call.variables),
        None => &mut function.variables,
    }
}

/// A piece of code is in a scope of a call, or of the function.
fn add_piece(function: &mut Function, call: Option<u32>, scope: u32, piece: (u32, u32)) {
    let scopes = match call {
        Some(call) => {
            let Some(call) = function.calls.get_mut(call as usize) else { return };
            join_piece(&mut call.pieces, piece);
            &mut call.scopes
        }
        None => &mut function.scopes,
    };
    let mut at = scope as usize;
    while let Some(row) = scopes.get_mut(at).filter(|_| at != 0) {
        join_piece(&mut row.pieces, piece);
        at = row.parent as usize;
    }
}

fn join_piece(pieces: &mut Vec<(u32, u32)>, (start, end): (u32, u32)) {
    match pieces.last_mut() {
        Some(last) if last.1 == start => last.1 = end,
        _ => pieces.push((start, end)),
    }
}

/// The line table of a function: a row wherever line or column change, and a stop wherever the line does, as LLVM has it. Where
/// arguments are not stored first, the end of the prologue is told by itself.
fn lines(code: &Code, places: &[(Option<At>, usize)], line: u32, opening: Option<u32>) -> Vec<LineRow> {
    let head = LineRow { offset: 0, place: None, line, column: 0, is_statement: true, prologue_end: false };
    let mut rows = vec![head];
    let mut last = (line, 0);
    for (number, (place, (at, _))) in (0..).zip(code.debug().lines.iter().zip(places)) {
        let is_first = rows.len() == 1;
        let (line, column) = match (at, opening) {
            (Some(at), _) => (at.line, at.column),
            (None, Some(opening)) if place.loc == BODY && is_first => (opening, 0),
            _ => continue,
        };
        if (line, column) == last && !is_first {
            continue;
        }
        rows.push(LineRow {
            offset: place.offset,
            place: Some(number),
            line,
            column,
            is_statement: line != 0 && (line != last.0 || is_first),
            prologue_end: is_first,
        });
        last = (line, column);
    }
    rows
}
