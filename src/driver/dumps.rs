//! What stages look like (`--emit`): a text a stage, each for the common output or a file of its own; and control
//! flow, dominators and calls as graphs for graphviz.
//!
//! A graph has all functions that are asked for, each in a box of its own, so that `dot -Tsvg` makes one
//! picture. O(text).

use super::deliver::{default_output, put};
use super::options::{Emit, Goal};
use super::session::{Failure, Session};
use crate::base::Handle;
use crate::base::graph::{Dominators, Order};
use crate::base::parts::Part;
use crate::ir::{Block, Body, Linkage, Module, Op, print};
use crate::object::archive::IR_BEGINS;
use crate::sema::dump::Piece;
use crate::sysy::start::Texts;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The texts, by stage.
#[derive(Debug, Default)]
pub struct Dumps {
    texts: [String; Emit::COUNT],
    /// The top level of the tree; what functions look like comes later.
    tree: Vec<Piece>,
}

impl Dumps {
    /// What a stage looks like, to be added to.
    pub fn of(&mut self, stage: Emit) -> &mut String {
        &mut self.texts[stage as usize]
    }

    /// Takes what a source looks like.
    pub fn take(&mut self, texts: Texts) {
        self.of(Emit::Tokens).push_str(&texts.tokens);
        self.tree = texts.tree;
    }

    /// Puts the bodies of functions, in order, into the tree.
    pub fn fill<'a>(&mut self, mut bodies: impl Iterator<Item = &'a str>) {
        for Piece { text, is_function } in std::mem::take(&mut self.tree) {
            let body = if is_function { bodies.next() } else { None };
            self.of(Emit::Tree).extend([text.as_str(), body.unwrap_or("")]);
        }
    }

    /// Puts them where they are wanted; those without a file of their own one behind the other.
    pub fn put(mut self, s: &Session, input: &Path) -> Result<u8, Failure> {
        let Goal::Emit(stages) = &s.options.goal else { return Ok(0) };
        let mut common: Option<String> = None;
        for &stage in stages {
            let text = std::mem::take(self.of(stage));
            let mut own = s.options.emit_files.iter().filter(|row| row.0 == stage).peekable();
            if own.peek().is_none() {
                common.get_or_insert_default().push_str(&text);
            }
            for (_, path) in own {
                put(s, path, &[Part::Bytes(text.as_bytes())], false)?;
            }
        }
        let Some(common) = common else { return Ok(0) };
        let Some(extension) = s.options.ir_file else {
            let path = s.options.output.clone().unwrap_or_else(|| PathBuf::from("-"));
            return put(s, &path, &[Part::Own(common.into_bytes())], false);
        };
        // As LLVM's begins, which tells linkers what it is.
        let text =
            format!("{IR_BEGINS} = '{}'\n{common}", input.display().to_string().replace(['\n', '\r'], "?"));
        put(s, &default_output(&s.options, input, extension), &[Part::Own(text.into_bytes())], false)
    }
}

/// Draws the functions of a module that are asked for, by name.
pub type Draw = fn(&Module, &dyn Fn(&str) -> bool) -> String;

/// What can be drawn of a module.
pub const GRAPHS: [(Emit, Draw); 3] =
    [(Emit::Cfg, cfg), (Emit::Domtree, dominators), (Emit::Callgraph, calls)];

/// Text between the quotes of graphviz.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn begin(name: &str) -> String {
    format!(
        "digraph \"{name}\" {{\n  \
           node [shape=box, style=rounded, fontname=\"monospace\", fontsize=10];\n  \
           edge [fontname=\"monospace\", fontsize=9];\n"
    )
}

/// The functions that are asked for, with their names.
fn chosen<'a>(module: &'a Module, shows: &dyn Fn(&str) -> bool) -> impl Iterator<Item = (&'a str, &'a Body)> {
    let named = |body: &'a Body| (module.env.names.text(module.env.funcs[body.func].name), body);
    module.defined().map(named).filter(|(name, _)| shows(name))
}

/// A box around what belongs to a function.
fn boxed(out: &mut String, name: &str, inside: impl FnOnce(&mut String)) {
    let name = quoted(name);
    _ = writeln!(out, "  subgraph \"cluster {name}\" {{\n    label=\"{name}\";\n    fontname=\"monospace\";");
    inside(out);
    out.push_str("  }\n");
}

/// The name of a block.
fn block(f: &Body, b: Block) -> String {
    let number = f.names.as_ref().map_or(b.index() as u32, |names| names.block(b));
    format!("b{number}")
}

/// Blocks with their instructions, and where they go.
fn cfg(module: &Module, shows: &dyn Fn(&str) -> bool) -> String {
    let mut out = begin("control flow");
    for (name, f) in chosen(module, shows) {
        boxed(&mut out, name, |out| {
            let lines = print::lines(&module.env, f);
            // The first line is the function's, and each block begins with its name.
            let mut lines = lines.iter().map(|line| line.0).skip(1).peekable();
            let name = quoted(name);
            for b in f.blocks() {
                let head = lines.next().unwrap_or("");
                let mut text = format!("{}\\l", quoted(head));
                while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
                    _ = write!(text, "{}\\l", quoted(line));
                }
                _ = writeln!(out, "    \"{name} {}\" [label=\"{text}\"];", block(f, b));
                let is_branch = f.succs(b).len() == 2;
                for (k, e) in f.succs(b).enumerate() {
                    let label = match (is_branch, k) {
                        (true, 0) => " [label=\"T\"]",
                        (true, _) => " [label=\"F\"]",
                        _ => "",
                    };
                    let to = block(f, f.edge_to(e));
                    _ = writeln!(out, "    \"{name} {}\" -> \"{name} {to}\"{label};", block(f, b));
                }
            }
        });
    }
    out.push_str("}\n");
    out
}

/// Each block under the last one that every way to it goes through.
fn dominators(module: &Module, shows: &dyn Fn(&str) -> bool) -> String {
    let mut out = begin("dominators");
    let (mut order, mut dominators) = (Order::default(), Dominators::default());
    for (name, f) in chosen(module, shows) {
        order.compute(f);
        dominators.compute(f, &order);
        boxed(&mut out, name, |out| {
            let name = quoted(name);
            for &b in &dominators.preorder {
                let own = block(f, b);
                _ = writeln!(out, "    \"{name} {own}\" [label=\"{own}\"];");
                if let Some(above) = dominators.idom[b].get() {
                    _ = writeln!(out, "    \"{name} {}\" -> \"{name} {own}\";", block(f, above));
                }
            }
        });
    }
    out.push_str("}\n");
    out
}

/// Which function calls which, and in how many places. What has no body is dashed.
fn calls(module: &Module, shows: &dyn Fn(&str) -> bool) -> String {
    let mut out = begin("calls");
    let env = &module.env;
    let mut outside = BTreeMap::new();
    for (name, f) in chosen(module, shows) {
        let mut counts = BTreeMap::new();
        for (i, _) in f.ops().filter(|&(i, op)| op == Op::Call && f.block_of(i).is_some()) {
            *counts.entry(f.callee(i)).or_insert(0u32) += 1;
        }
        let insts: usize = f.blocks().map(|b| f.insts(b).count()).sum();
        let name = quoted(name);
        _ = writeln!(out, "  \"{name}\" [label=\"{name}\\n{insts} instructions\"];");
        for (callee, count) in counts {
            let row = &env.funcs[callee];
            let to = quoted(env.names.text(row.name));
            let label = if count > 1 { format!(" [label=\"{count}\"]") } else { String::new() };
            _ = writeln!(out, "  \"{name}\" -> \"{to}\"{label};");
            if row.linkage == Linkage::Declared {
                outside.insert(callee, to);
            }
        }
    }
    for name in outside.into_values() {
        _ = writeln!(out, "  \"{name}\" [style=\"rounded,dashed\"];");
    }
    out.push_str("}\n");
    out
}
