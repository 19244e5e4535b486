//! Bodies, read by workers: each has the names of the module and adds shapes, functions that stand for calls by
//! address, and addresses of functions to tables of its own. What a body added is told to the module in the order
//! in which bodies are asked for (`reader`), so that handles are the same for any number of workers. Linear; what is added
//! costs a walk over the body that has it.

use super::builder::Builder;
use super::{Definition, Indirect, ParseError, Parsed, Parser, Symbol, error_at};
use crate::base::{Column, Handle, Opt};
use crate::ir::verify::{VerifyError, verify, verify_asked};
use crate::ir::{
    Body, Env, Func, FuncId, Global, GlobalId, Image, Inst, Module, Op, Shape, Type, Value, ValueKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// A shape, as any module can make it.
#[derive(Debug)]
struct Made {
    scalar: Type,
    lengths: Vec<u32>,
    align: u32,
    may_leave: bool,
}

impl Made {
    fn of(env: &Env, shape: Shape) -> Made {
        let shapes = &env.shapes;
        let (mut lengths, mut inner) = (Vec::new(), shape);
        while shapes.depth(inner) > 0 {
            lengths.push(shapes.length(inner));
            inner = shapes.element(inner);
        }
        let (align, may_leave) = (shapes.asked_align(shape), shapes.may_leave(shape));
        Made { scalar: shapes.scalar_type(shape), lengths, align, may_leave }
    }

    fn shape(&self, env: &Env) -> Shape {
        let mut shape = env.shapes.of(self.scalar, &self.lengths);
        if self.align != 0 {
            shape = env.shapes.aligned(shape, self.align);
        }
        if self.may_leave { env.shapes.leaving(shape) } else { shape }
    }
}

/// What a body uses that the module does not have yet, in the order of its instructions, by the worker's handles.
#[derive(Debug, Default)]
pub(super) struct Added {
    shapes: BTreeMap<Shape, Made>,
    /// What stands for calls by address and for functions of the C library, with their names, in order.
    funcs: Vec<(FuncId, Func, String)>,
    /// Addresses of functions, in order.
    addresses: Vec<(GlobalId, FuncId)>,
    /// Where any of them is used.
    users: Vec<Inst>,
}

/// How much of everything a worker has from the module.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Base {
    shapes: usize,
    funcs: usize,
    globals: usize,
}

impl Base {
    fn of(env: &Env) -> Base {
        Base { shapes: env.shapes.len(), funcs: env.funcs.len(), globals: env.globals.len() }
    }

    /// What a body has of what a worker has added.
    fn added(self, env: &Env, body: &Body) -> Added {
        let mut added = Added::default();
        if Base::of(env) == self {
            return added;
        }
        let (mut funcs, mut addresses) = (BTreeSet::new(), BTreeSet::new());
        let has_addresses = env.globals.len() > self.globals;
        for i in (0..body.inst_count()).map(Inst::new) {
            let payload = body.payload(i) as usize;
            let (mut is_user, mut func) = (false, None);
            match body.op(i) {
                Op::Alloca | Op::ElemAddr if payload >= self.shapes => {
                    let shape = Shape::new(payload);
                    added.shapes.entry(shape).or_insert_with(|| Made::of(env, shape));
                    is_user = true;
                }
                Op::Call if payload >= self.funcs => func = Some(FuncId::new(payload)),
                _ => {}
            }
            let args = if has_addresses { body.args(i) } else { &[] };
            for &value in args {
                if let ValueKind::Global(global) = value.kind()
                    && global.index() >= self.globals
                    && let Some(of) = env.globals[global].func.get()
                {
                    is_user = true;
                    if addresses.insert(global) {
                        added.addresses.push((global, of));
                    }
                    if of.index() >= self.funcs {
                        func = Some(of);
                    }
                }
            }
            if let Some(func) = func {
                is_user = true;
                if funcs.insert(func) {
                    let row = &env.funcs[func];
                    let name = env.names.text(row.name).to_string();
                    added.funcs.push((func, Func { address: Opt::NONE, ..row.clone() }, name));
                }
            }
            if is_user {
                added.users.push(i);
            }
        }
        added
    }
}

/// A reader of bodies, with tables of its own.
pub(super) struct Worker<'a> {
    parser: Parser<'a>,
    base: Base,
}

/// What is wrong with a body, where it stands in the text.
pub(super) fn broken(
    text: &str,
    error: &VerifyError,
    header: usize,
    body: Option<&Builder>,
) -> Box<ParseError> {
    let at = body.zip(error.inst).map_or(header, |(b, i)| b.f.loc(i) as usize);
    let name = body.zip(error.operand).and_then(|(b, i)| b.name_of_value(Value::inst(i)));
    let said = name.map(|name| {
        let rule = error.rule.row().name;
        format!("rule `{rule}` is broken: `%{name}` is not defined on all ways that lead here")
    });
    error_at(text, at, said.unwrap_or_else(|| error.to_string()))
}

impl<'a> Worker<'a> {
    /// One with the names of the module, but not the contents of data.
    pub(super) fn new(parser: &Parser<'a>, env: &Env) -> Worker<'a> {
        let mut globals = Column::new();
        for (_, row) in env.globals.iter() {
            globals.push(Global { image: Image::default(), ..*row });
        }
        let (names, shapes, funcs) = (env.names.clone(), env.shapes.clone(), env.funcs.clone());
        let base = Base { shapes: shapes.len(), funcs: funcs.len(), globals: globals.len() };
        let env = Env { names, shapes, globals, funcs, ..Env::default() };
        let mut extended = parser.extended.clone();
        extended.grow_to(base.funcs, Vec::new());
        let parser = Parser {
            lexer: parser.lexer.clone(),
            token: parser.token,
            start: parser.start,
            platform: parser.platform,
            module: Module { env, bodies: Column::new() },
            symbols: parser.symbols.clone(),
            definitions: Vec::new(),
            declared: Vec::new(),
            extended,
            names: parser.names,
            keeps_debug_records: parser.keeps_debug_records,
            forms: parser.forms,
            groups: Vec::new(),
            said: parser.said,
            marks: Vec::new(),
            has_triple: parser.has_triple,
            listed: parser.listed,
            met_wide: false,
            met_small: false,
            takes_small: false,
            small: false,
            met_scalable: false,
            lane: None,
            is_lane: false,
            by_address: parser.by_address.clone(),
            jump: None,
            layouts: parser.layouts.clone(),
            pending: Vec::new(),
            indirect: parser.indirect.clone(),
            blocks: parser.blocks.clone(),
            here: None,
            met_number: false,
            used: Vec::new(),
            around: Vec::new(),
            aliases: Vec::new(),
            places: parser.places.clone(),
            holders: parser.holders.clone(),
            sections: BTreeMap::new(),
            nodes: parser.nodes.clone(),
            flags: None,
            comdats: BTreeSet::new(),
            in_comdats: Vec::new(),
            in_groups: Vec::new(),
            personalities: Vec::new(),
            entry_counts: Vec::new(),
        };
        Worker { parser, base }
    }

    /// Has what the module has now, in place of what bodies have added here. O(what is new).
    pub(super) fn follow(&mut self, env: &Env) {
        let Worker { parser: Parser { module, symbols, indirect, extended, .. }, base } = self;
        let own = &mut module.env;
        if own.funcs.len() > base.funcs {
            let added = own.funcs.iter().skip(base.funcs).filter(|(_, row)| !row.indirect);
            added.for_each(|(_, row)| symbols[row.name] = Symbol::None);
            indirect.retain(|_, func| func.index() < base.funcs);
            own.funcs.truncate(base.funcs);
            extended.truncate(base.funcs);
        }
        for (_, row) in own.globals.iter().skip(base.globals) {
            if let Some(func) = row.func.get().filter(|func| func.index() < base.funcs) {
                own.funcs[func].address = Opt::NONE;
            }
        }
        own.globals.truncate(base.globals);
        for (_, row) in env.funcs.iter().skip(base.funcs) {
            let name = own.names.intern(env.names.text(row.name));
            let func = own.funcs.push(Func { name, ..row.clone() });
            extended.push(Vec::new());
            symbols.grow_to(own.names.len(), Symbol::None);
            if row.indirect {
                indirect.insert(key(row), func);
            } else {
                symbols[name] = Symbol::Func(func);
            }
        }
        for (_, row) in env.globals.iter().skip(base.globals) {
            let name = own.names.intern(env.names.text(row.name));
            let global = own.globals.push(Global { name, image: Image::default(), ..*row });
            if let Some(func) = row.func.get() {
                own.funcs[func].address = Opt::some(global);
            }
        }
        symbols.grow_to(own.names.len(), Symbol::None);
        *base = Base { shapes: base.shapes, ..Base::of(env) };
    }

    /// Reads a body and verifies it.
    pub(super) fn body(&mut self, definition: &Definition<'a>) -> Parsed<(Body, Added)> {
        let body = self.parser.body(definition)?;
        let env = &self.parser.module.env;
        // The reader goes by the calls that keep tables in agreement.
        let verify = if cfg!(debug_assertions) { verify } else { verify_asked };
        let text = self.parser.lexer.text;
        verify(env, &body.f).map_err(|error| broken(text, &error, definition.header, Some(&body)))?;
        let body = body.finish();
        let added = self.base.added(env, &body);
        Ok((body, added))
    }
}

/// What is called by its address, as it is looked up.
fn key(row: &Func) -> Indirect {
    let params = row.params.get(1..).unwrap_or_default().to_vec();
    (row.result, params, [row.variadic, row.returns_by, row.tail], row.parts.clone())
}

impl Parser<'_> {
    /// Gives the module what a worker has added for a body, and the body the module's handles.
    pub(super) fn take(&mut self, env: &mut Env, body: &mut Body, added: Added) {
        if added.users.is_empty() {
            return;
        }
        let shapes: BTreeMap<Shape, Shape> =
            added.shapes.iter().map(|(&of, made)| (of, made.shape(env))).collect();
        let mut funcs: BTreeMap<FuncId, FuncId> = BTreeMap::new();
        for (of, row, name) in added.funcs {
            funcs.insert(of, self.take_func(env, row, &name));
        }
        let func_of = |func: FuncId| funcs.get(&func).copied().unwrap_or(func);
        let mut addresses: BTreeMap<GlobalId, GlobalId> = BTreeMap::new();
        for (of, func) in added.addresses {
            addresses.insert(of, env.address_of(func_of(func)));
        }
        for i in added.users {
            let payload = body.payload(i) as usize;
            let now = match body.op(i) {
                Op::Alloca | Op::ElemAddr => {
                    shapes.get(&Shape::new(payload)).map_or(payload, |shape| shape.index())
                }
                Op::Call => func_of(FuncId::new(payload)).index(),
                _ => payload,
            };
            if now != payload {
                body.set_payload(i, now as u32);
            }
            for k in 0..body.args(i).len() {
                if let ValueKind::Global(global) = body.arg(i, k).kind()
                    && let Some(&now) = addresses.get(&global)
                {
                    body.set_arg(i, k, Value::global(now));
                }
            }
        }
    }

    /// The module's row for one that a worker has added.
    fn take_func(&mut self, env: &mut Env, row: Func, name: &str) -> FuncId {
        if row.indirect {
            let key = key(&row);
            if let Some(&func) = self.indirect.get(&key) {
                return func;
            }
            let func = env.indirect(key.0, &key.1, row.variadic, row.returns_by);
            (env.funcs[func].parts, env.funcs[func].tail) = (row.parts, row.tail);
            self.indirect.insert(key, func);
            return func;
        }
        let name = env.names.intern(name);
        self.symbols.grow_to(env.names.len(), Symbol::None);
        if let Symbol::Func(func) = self.symbols[name] {
            return func;
        }
        let func = env.funcs.push(Func { name, ..row });
        self.symbols[name] = Symbol::Func(func);
        func
    }
}
