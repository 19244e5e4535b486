//! What debuggers are told of a source as LLVM's metadata, for IR in text: lines, functions and inlined calls, scopes, variables
//! that are in memory, types. Another compiler makes of it what we make of facts and code (`describe`); so do we (`metadata`).
//! O(instructions x depth of calls + facts).

use super::{Facts, FunctionFact, VariableFact};
use crate::base::{Column, Handle};
use crate::ir::print::metadata::{BodyMetadata, Metadata};
use crate::ir::{Body, FuncId, GlobalId, Linkage, Module, NO_LOC, Op, Place};
use crate::lower::USER;
use crate::object::debug::{Type, TypeRow};
use crate::source::SourceFile;
use crate::source::file::ColumnCursor;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A scope of a function, or a line in one; by which call that is here.
type Line = (u32, u32, u32, Option<u32>);

struct Writer<'a> {
    module: &'a Module,
    file: &'a SourceFile,
    facts: &'a Facts,
    nodes: String,
    count: u32,
    /// The compile unit and its file.
    unit: u32,
    source: u32,
    types: Column<Type, u32>,
    /// Per function that has been named: itself, and the scopes that declare something; nothing of others.
    functions: Column<FuncId, Vec<u32>>,
    lines: BTreeMap<Line, u32>,
    /// Per global: its node, or 0; of data of functions while these are gone through.
    data: Column<GlobalId, u32>,
    cursor: ColumnCursor,
}

impl Facts {
    /// What is attached to the text of a module.
    pub fn attach(&self, module: &Module, file: &SourceFile) -> Metadata {
        let mut writer = Writer {
            module,
            file,
            facts: self,
            nodes: String::new(),
            // The compile unit is written last, since it names others.
            count: 1,
            unit: 0,
            source: 0,
            types: Column::new(),
            functions: Column::filled(module.env.funcs.len(), Vec::new()),
            lines: BTreeMap::new(),
            data: Column::filled(module.env.globals.len(), 0),
            cursor: ColumnCursor::default(),
        };
        let (path, folder) = (quoted(&self.told.file), quoted(&self.told.folder));
        writer.source = writer.node(&format!("!DIFile(filename: {path}, directory: {folder})"));
        for (_, row) in self.types.rows.iter() {
            let node = writer.ty(row);
            writer.types.push(node);
        }
        let mut functions: Column<FuncId, BodyMetadata> =
            Column::filled(module.env.funcs.len(), BodyMetadata::default());
        for body in module.defined().filter(|body| self.functions.get(body.func).is_some()) {
            functions[body.func] = writer.body(body);
        }
        let globals = writer.globals();
        let version = writer.node("!{i32 7, !\"Dwarf Version\", i32 5}");
        let form = writer.node("!{i32 2, !\"Debug Info Version\", i32 3}");
        let data = globals.as_slice().iter().copied().filter(|&node| node != 0);
        let all = data.chain(writer.constants());
        let all: Vec<String> = all.map(|node| format!("!{node}")).collect();
        let all = writer.node(&format!("!{{{}}}", all.join(", ")));
        let Writer { source, mut nodes, count, .. } = writer;
        _ = writeln!(
            nodes,
            "!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !{source}, producer: \"sysyc {}\", \
             isOptimized: false, runtimeVersion: 0, emissionKind: {}, globals: !{all})",
            env!("CARGO_PKG_VERSION"),
            if self.told.only_lines { "LineTablesOnly" } else { "FullDebug" },
        );
        nodes.insert_str(0, "!llvm.dbg.cu = !{!0}\n\n");
        Metadata { functions, globals, nodes, count, flags: [version, form] }
    }
}

/// A text in quotes, as LLVM has them.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if !matches!(byte, b'"' | b'\\') => out.push(char::from(byte)),
            _ => _ = write!(out, "\\{byte:02X}"),
        }
    }
    out.push('"');
    out
}

impl Writer<'_> {
    fn node(&mut self, text: &str) -> u32 {
        let number = self.count;
        self.count += 1;
        _ = writeln!(self.nodes, "!{number} = {text}");
        number
    }

    fn ty(&mut self, row: &TypeRow) -> u32 {
        let of = |writer: &Self, ty: Type| writer.types.get(ty).copied().unwrap_or(0);
        let derived = |writer: &Self, tag: &str, ty: Type, size: &str| {
            format!("!DIDerivedType(tag: DW_TAG_{tag}, baseType: !{}{size})", of(writer, ty))
        };
        let text = match row {
            TypeRow::Float => "!DIBasicType(name: \"float\", size: 32, encoding: DW_ATE_float)".to_string(),
            TypeRow::Pointer(to) => {
                let bits = 8 * self.module.env.shapes.bytes_of(crate::ir::Type::Ptr);
                derived(self, "pointer_type", *to, &format!(", size: {bits}"))
            }
            TypeRow::Const(of) => derived(self, "const_type", *of, ""),
            TypeRow::Array(element, lengths) => {
                let ranges: Vec<u32> =
                    lengths.iter().map(|count| self.node(&format!("!DISubrange(count: {count})"))).collect();
                let ranges: Vec<String> = ranges.iter().map(|range| format!("!{range}")).collect();
                let ranges = self.node(&format!("!{{{}}}", ranges.join(", ")));
                let bits = lengths.iter().fold(32u64, |bits, &count| bits.saturating_mul(count.into()));
                format!(
                    "!DICompositeType(tag: DW_TAG_array_type, baseType: !{}, size: {bits}, elements: !{ranges})",
                    of(self, *element)
                )
            }
            // The front end has no other.
            _ => "!DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)".to_string(),
        };
        self.node(&text)
    }

    /// The nodes of a function and its scopes; none if nothing is known of it.
    fn function(&mut self, func: FuncId) -> Option<&[u32]> {
        if self.functions.get(func)?.is_empty() {
            let fact: &FunctionFact = self.facts.functions.get(func)?;
            let row = self.module.env.funcs.get(func)?;
            let own = self.module.env.names.text(row.name);
            let name = own.strip_suffix(USER).unwrap_or(own);
            let result = fact.result.and_then(|ty| self.types.get(ty).copied());
            let result = result.map_or("null".to_string(), |ty| format!("!{ty}"));
            let parameters = fact.variables.iter().filter(|row| row.is_parameter);
            let parameters: Vec<String> =
                parameters.filter_map(|row| Some(format!(", !{}", self.types.get(row.ty)?))).collect();
            let list = self.node(&format!("!{{{result}{}}}", parameters.concat()));
            let ty = self.node(&format!("!DISubroutineType(types: !{list})"));
            let (line, source, unit) = (self.file.line(fact.offset), self.source, self.unit);
            let local = if row.linkage == Linkage::Internal { "DISPFlagLocalToUnit | " } else { "" };
            let linkage = if name == own { String::new() } else { format!(", linkageName: {}", quoted(own)) };
            let node = self.node(&format!(
                "distinct !DISubprogram(name: {}{linkage}, scope: !{source}, file: !{source}, line: {line}, type: !{ty}, \
                 scopeLine: {line}, flags: DIFlagPrototyped, spFlags: {local}DISPFlagDefinition, unit: !{unit})",
                quoted(name)
            ));
            let mut scopes = vec![node];
            for scope in fact.scopes.iter().skip(1) {
                let parent = scopes.get(scope.parent as usize).copied().unwrap_or(node);
                let (line, column) = self.cursor.line_column(self.file, scope.start);
                let text = format!(
                    "distinct !DILexicalBlock(scope: !{parent}, file: !{source}, line: {line}, column: {column})"
                );
                scopes.push(self.node(&text));
            }
            self.functions[func] = scopes;
        }
        self.functions.get(func).map(Vec::as_slice)
    }

    /// A place in a function's text, in what has been inlined by a call.
    fn line(&mut self, func: FuncId, offset: u32, call: Option<u32>) -> Option<u32> {
        let fact = self.facts.functions.get(func)?;
        let scope = if offset == NO_LOC { 0 } else { fact.scope_at(offset) };
        let scope = *self.function(func)?.get(scope)?;
        let (line, column) =
            if offset == NO_LOC { (0, 0) } else { self.cursor.line_column(self.file, offset) };
        let key = (scope, line, column, call);
        if let Some(&known) = self.lines.get(&key) {
            return Some(known);
        }
        let inlined = call.map_or(String::new(), |call| format!(", inlinedAt: !{call}"));
        let text = format!("!DILocation(line: {line}, column: {column}, scope: !{scope}{inlined})");
        let node = self.node(&text);
        self.lines.insert(key, node);
        Some(node)
    }

    /// Where an instruction comes from.
    fn place(&mut self, body: &Body, place: Place) -> Option<u32> {
        // What has been inlined, from the innermost on.
        let mut texts: Vec<(FuncId, u32)> = Vec::new();
        let mut at = place;
        let own = loop {
            match body.places.get(at) {
                Some(row) if row.call == Place::NONE && row.func == body.func => break row.offset,
                Some(row) => {
                    texts.push((row.func, row.offset));
                    at = row.call;
                }
                None => break body.places.offset(at),
            }
        };
        let mut node = self.line(body.func, own, None)?;
        for &(func, offset) in texts.iter().rev() {
            node = self.line(func, offset, Some(node))?;
        }
        Some(node)
    }

    fn body(&mut self, body: &Body) -> BodyMetadata {
        let node = self.function(body.func).and_then(|scopes| scopes.first().copied());
        let mut own = BodyMetadata { node, ..BodyMetadata::default() };
        for i in body.blocks().flat_map(|b| body.insts(b)) {
            let place = body.place(i);
            // LLVM wants a place of each call.
            if (place != Place::NONE || body.op(i) == Op::Call) && body.op(i) != Op::Alloca {
                own.places.grow_to(i.index() + 1, 0);
                own.places[i] = self.place(body, place).unwrap_or(0);
            }
        }
        let facts = self.facts;
        let Some(fact) = facts.functions.get(body.func).filter(|_| !facts.told.only_lines) else {
            return own;
        };
        let mut by_number: Vec<(u32, usize)> =
            fact.variables.iter().enumerate().map(|(k, row)| (row.sym.index() as u32, k)).collect();
        by_number.sort_unstable();
        for &(v, number) in &body.variables {
            let of = by_number.binary_search_by_key(&number, |row| row.0).ok().map(|at| by_number[at].1);
            if let (Some(k), Some(global)) = (of, v.as_global()) {
                let row = &fact.variables[k];
                let scope =
                    self.function(body.func).and_then(|scopes| scopes.get(row.scope as usize).copied());
                self.data[global] = scope.and_then(|scope| self.global(row, scope, None, true)).unwrap_or(0);
            }
            let memory = v.as_inst().filter(|&i| body.op(i) == Op::Alloca && body.block_of(i).is_some());
            if let (Some(k), Some(i)) = (of, memory) {
                own.declared.grow_to(i.index() + 1, [0; 2]);
                own.declared[i] = self.variable(body.func, fact, k).unwrap_or([0; 2]);
            }
        }
        own
    }

    /// A variable, and where it is declared.
    fn variable(&mut self, func: FuncId, fact: &FunctionFact, k: usize) -> Option<[u32; 2]> {
        let row: &VariableFact = fact.variables.get(k)?;
        let scope = *self.function(func)?.get(row.scope as usize)?;
        let argument = match row.is_parameter {
            true => {
                format!("arg: {}, ", 1 + fact.variables[..k].iter().filter(|row| row.is_parameter).count())
            }
            false => String::new(),
        };
        let (line, column) = self.cursor.line_column(self.file, row.offset);
        let (name, source) = (quoted(row.name(self.file)), self.source);
        let ty = self.types.get(row.ty)?;
        let text = format!(
            "!DILocalVariable(name: {name}, {argument}scope: !{scope}, file: !{source}, line: {line}, type: !{ty})"
        );
        let node = self.node(&text);
        let place = self.node(&format!("!DILocation(line: {line}, column: {column}, scope: !{scope})"));
        Some([node, place])
    }

    /// What is nowhere, since it is a number, and the node of each.
    fn constants(&mut self) -> Vec<u32> {
        let facts = self.facts;
        let mut nodes = Vec::new();
        for row in facts.globals.iter().filter(|row| row.value.is_some()) {
            nodes.extend(self.global(row, self.unit, row.value, true));
        }
        let defined: Vec<FuncId> = self.module.defined().map(|body| body.func).collect();
        for (func, fact) in defined.iter().filter_map(|&func| Some((func, facts.functions.get(func)?))) {
            for row in fact.variables.iter().filter(|row| row.value.is_some()) {
                let scope = self.function(func).and_then(|scopes| scopes.get(row.scope as usize).copied());
                nodes.extend(scope.and_then(|scope| self.global(row, scope, row.value, true)));
            }
        }
        nodes
    }

    /// A variable that has one place, or is a number.
    fn global(&mut self, row: &VariableFact, scope: u32, value: Option<u32>, is_local: bool) -> Option<u32> {
        let &ty = self.types.get(row.ty)?;
        let (name, line, source) = (quoted(row.name(self.file)), self.file.line(row.offset), self.source);
        let variable = self.node(&format!(
            "distinct !DIGlobalVariable(name: {name}, scope: !{scope}, file: !{source}, line: {line}, type: !{ty}, \
             isLocal: {is_local}, isDefinition: true)"
        ));
        let value = value.map_or(String::new(), |bits| format!("DW_OP_constu, {bits}, DW_OP_stack_value"));
        Some(
            self.node(&format!(
                "!DIGlobalVariableExpression(var: !{variable}, expr: !DIExpression({value}))"
            )),
        )
    }

    /// Per global: its node, or 0.
    fn globals(&mut self) -> Column<GlobalId, u32> {
        let (env, facts) = (&self.module.env, self.facts);
        let named: BTreeMap<&str, GlobalId> =
            env.globals.iter().map(|(global, row)| (env.names.text(row.name), global)).collect();
        let mut nodes = std::mem::take(&mut self.data);
        for row in &facts.globals {
            let name = row.name(self.file);
            let global = named.get(name).or_else(|| named.get(format!("{name}{USER}").as_str()));
            let Some(&global) = global.filter(|_| row.value.is_none()) else { continue };
            let is_local = env.globals[global].linkage == Linkage::Internal;
            nodes[global] = self.global(row, self.unit, None, is_local).unwrap_or(nodes[global]);
        }
        nodes
    }
}
