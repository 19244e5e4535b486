//! All bodies, read by workers: each has the names of the module and adds shapes, functions that stand for calls by
//! address, and addresses of functions to tables of its own. What a body added is told to the module in the order
//! of the text, so that handles are the same for any number of workers. Linear; what is added costs a walk over the
//! body that has it.

use super::body::Builder;
use super::{Definition, ParseError, Parsed, Parser, Symbol, error_at};
use crate::base::parallel::Workers;
use crate::base::{Column, Handle, Opt};
use crate::ir::verify::{VerifyError, verify, verify_asked, verify_program};
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
struct Added {
    shapes: BTreeMap<Shape, Made>,
    /// What stands for calls by address and for functions of the C library, with their names, in order.
    funcs: Vec<(FuncId, Func, String)>,
    /// Addresses of functions, in order.
    addresses: Vec<(GlobalId, FuncId)>,
    /// Where any of them is used.
    users: Vec<Inst>,
}

/// How much of everything the module had before bodies were read.
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

impl<'a> Parser<'a> {
    /// Reads the bodies of all functions that are defined, and verifies everything. All errors, in the order of the
    /// text: one for each body, or the first of the program.
    pub(super) fn bodies(mut self, workers: &Workers) -> Result<Module, Vec<ParseError>> {
        let text = self.lexer.text;
        let mut definitions = std::mem::take(&mut self.definitions);
        let broken = |error: VerifyError, header: usize, body: Option<&Builder>| {
            let at = body.zip(error.inst).map_or(header, |(b, i)| b.f.loc(i) as usize);
            let name = body.zip(error.operand).and_then(|(b, i)| b.name_of_value(Value::inst(i)));
            let said = name.map(|name| {
                let rule = error.rule.row().name;
                format!("rule `{rule}` is broken: `%{name}` is not defined on all ways that lead here")
            });
            error_at(text, at, said.unwrap_or_else(|| error.to_string()))
        };
        verify_program(&self.module.env).map_err(|error| {
            let of = definitions.iter().find(|row| Some(row.func) == error.func);
            vec![*broken(error, of.map_or(0, |row| row.header), None)]
        })?;
        let base = Base::of(&self.module.env);
        let read = |worker: &mut Parser<'a>, _: usize, definition: &mut Definition<'a>| {
            let body = worker.body(definition)?;
            let env = &worker.module.env;
            // The reader goes by the calls that keep tables in agreement.
            let verify = if cfg!(debug_assertions) { verify } else { verify_asked };
            verify(env, &body.f).map_err(|error| broken(error, definition.header, Some(&body)))?;
            let body = body.finish();
            let added = base.added(env, &body);
            Ok((body, added))
        };
        let read: Vec<Parsed<(Body, Added)>> = workers.map_by_size(
            &mut definitions,
            |_, definition| definition.end - definition.start,
            || self.worker(),
            read,
        );
        let (mut bodies, mut errors) = (Vec::new(), Vec::new());
        for result in read {
            match result {
                Ok((mut body, added)) => {
                    if !added.users.is_empty() {
                        self.take(&mut body, added, base);
                    }
                    bodies.push(body);
                }
                Err(error) => errors.push(*error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Module::new(self.module.env, bodies))
    }

    /// A reader with the names of the module, but not the contents of data.
    fn worker(&self) -> Parser<'a> {
        let env = &self.module.env;
        let mut globals = Column::new();
        for (_, row) in env.globals.iter() {
            globals.push(Global { image: Image::default(), ..*row });
        }
        let (names, shapes, funcs) = (env.names.clone(), env.shapes.clone(), env.funcs.clone());
        let env = Env { names, shapes, globals, funcs, aliases: Vec::new() };
        Parser {
            lexer: self.lexer.clone(),
            token: self.token,
            start: self.start,
            platform: self.platform,
            module: Module { env, bodies: Column::new() },
            symbols: self.symbols.clone(),
            definitions: Vec::new(),
            declared: Vec::new(),
            extended: self.extended.clone(),
            names: self.names,
            forms: self.forms,
            groups: Vec::new(),
            said: self.said,
            marks: Vec::new(),
            numbers: self.numbers.clone(),
            has_triple: self.has_triple,
            listed: self.listed,
            met_wide: false,
            layouts: self.layouts.clone(),
            pending: Vec::new(),
            indirect: BTreeMap::new(),
            blocks: self.blocks.clone(),
            here: None,
            met_number: false,
            used: Vec::new(),
            around: Vec::new(),
            aliases: Vec::new(),
            holders: self.holders.clone(),
        }
    }

    /// Gives the module what a worker has added for a body, and the body the module's handles.
    fn take(&mut self, body: &mut Body, added: Added, base: Base) {
        let shapes: BTreeMap<Shape, Shape> =
            added.shapes.iter().map(|(&of, made)| (of, made.shape(&self.module.env))).collect();
        let mut funcs: BTreeMap<FuncId, FuncId> = BTreeMap::new();
        for (of, row, name) in added.funcs {
            funcs.insert(of, self.take_func(row, &name));
        }
        let func_of = |func: FuncId| funcs.get(&func).copied().unwrap_or(func);
        let mut addresses: BTreeMap<GlobalId, GlobalId> = BTreeMap::new();
        for (of, func) in added.addresses {
            addresses.insert(of, self.module.env.address_of(func_of(func)));
        }
        for i in added.users {
            let payload = body.payload(i) as usize;
            let now = match body.op(i) {
                Op::Alloca | Op::ElemAddr if payload >= base.shapes => {
                    shapes.get(&Shape::new(payload)).map_or(payload, |shape| shape.index())
                }
                Op::Call => func_of(FuncId::new(payload)).index(),
                _ => payload,
            };
            if now != payload {
                let args = body.args(i).to_vec();
                body.rewrite(i, body.op(i), body.ty(i), &args, now as u32);
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
    fn take_func(&mut self, row: Func, name: &str) -> FuncId {
        let env = &mut self.module.env;
        if row.indirect {
            let params = row.params.get(1..).unwrap_or_default().to_vec();
            let key = (row.result, params, [row.variadic, row.returns_by], row.parts.clone());
            if let Some(&func) = self.indirect.get(&key) {
                return func;
            }
            let func = env.indirect(key.0, &key.1, row.variadic, row.returns_by);
            env.funcs[func].parts = row.parts;
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
