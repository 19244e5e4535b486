//! Values that take several parts, of types that the tables lack: structs and arrays as values, and integers wider than a
//! word on their way. In a body such a value is its parts, scalars, each under a name of its own (`%x` and the
//! part's number); a phi of it is phis of these.
//!
//! How they are passed and returned: `parts`. O(parts).

use super::body::other_type;
use super::builder::{Builder, Local, Operand, Phi, ReadPhi};
use super::carried::Carrier;
use super::layout::Mem;
use super::lexer::{Text, Token};
use super::metadata::Bearer;
use super::quad::QUAD;
use super::vector::Lanes;
use super::wide::{Wide, width};
use super::{Parsed, Parser, error_at};
use crate::base::Handle;
use crate::ir::fold::Number;
use crate::ir::print::PAIR;
use crate::ir::{At, Inst, Op, Shape, Type, Value};

/// An aggregate as a value has at most so many parts.
const MOST_PARTS: usize = 64;

/// A type of several parts.
#[derive(Clone, Debug)]
pub(super) struct Compound {
    /// Its scalars, and where in memory they are.
    pub(super) parts: Vec<(Type, u32)>,
    /// An integer of this width, and no aggregate.
    pub(super) bits: Option<u32>,
    pub(super) mem: Option<Mem>,
    pub(super) is_array: bool,
    /// There are vectors in it whose length the machine chooses.
    pub(super) is_scalable: bool,
    /// It is `fp128`, whose bits are those of such an integer.
    pub(super) is_quad: bool,
    pub(super) bytes: u32,
    /// Where it travels, the registers of its vectors, if the convention has such for them.
    pub(super) carriers: Vec<Carrier>,
}

/// A value that has been made, for `bind`.
pub(super) struct Made {
    pub(super) parts: Vec<Value>,
    /// Its width, if it is an integer; else its type.
    pub(super) bits: Option<u32>,
    pub(super) mem: Option<Mem>,
}

impl Compound {
    /// True for an integer.
    pub(super) fn is_integer(&self) -> bool {
        self.bits.is_some()
    }
}

impl Builder {
    /// An operand as a value: of what comes later, an instruction that will have it.
    pub(super) fn settled(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Value(v) => v,
            Operand::Later { ty, .. } => {
                let args = [Operand::Value(Value::bool(true)), operand, operand];
                Value::inst(self.insert(Op::Select, ty, &args, 0))
            }
        }
    }

    /// The words of a value, if so many are known: of a phi.
    pub(super) fn parts_known(&mut self, name: Local, count: usize, word: Type) -> Option<Vec<Value>> {
        let of = |b: &mut Builder, k: usize| {
            let part = b.part_name(name, k);
            b.local_value(part).filter(|&v| b.f.type_of(v) == word)
        };
        (0..count).map(|k| of(self, k)).collect()
    }

    /// What part `k` of a value is called.
    pub(super) fn part_name(&mut self, local: Local, k: usize) -> Local {
        let text = format!("{}\0{k}", self.text_of(local));
        self.named(&text)
    }
}

impl<'a> Parser<'a> {
    /// True if the token begins an aggregate.
    pub(super) fn at_aggregate(&self) -> bool {
        match self.token {
            Token::Mark(b'[' | b'{') | Token::Local(_) => true,
            Token::Mark(b'<') => matches!(self.lexer.clone().next(), Ok((Token::Mark(b'{'), _))),
            _ => false,
        }
    }

    /// True if the token begins a type of several parts.
    pub(super) fn at_compound(&self) -> bool {
        match self.token {
            Token::Word(word) => width(word).is_some() || self.at_quad(),
            _ => self.at_aggregate() || self.unheld_ahead().is_some(),
        }
    }

    /// Such a type.
    pub(super) fn compound_type(&mut self) -> Parsed<Compound> {
        let at = self.start;
        let word = self.pointer_int();
        let is_quad = self.at_quad();
        if let Some(bits) = if is_quad { Some(QUAD) } else { self.wide_type() } {
            self.advance()?;
            let count = bits.div_ceil(word.int_bits());
            let parts = (0..count).map(|k| (word, k * word.bytes())).collect();
            let bytes = count * word.bytes();
            let carriers = Vec::new();
            return Ok(Compound {
                parts,
                bits: Some(bits),
                mem: None,
                is_array: false,
                is_scalable: false,
                is_quad,
                bytes,
                carriers,
            });
        }
        let is_array = self.token == Token::Mark(b'[');
        self.met_scalable = false;
        let mem = match self.vector_ahead() {
            Some(_) => {
                let lanes = self.vector_type()?;
                self.vector_mem(lanes)
            }
            None => self.type_of_parts()?,
        };
        let is_scalable = self.met_scalable;
        let Some(parts) = self.parts_of(mem, MOST_PARTS) else {
            return self.error_at(at, format!("a value of more than {MOST_PARTS} parts is not supported"));
        };
        let bytes = self.bytes_and_align(mem).0 as u32;
        Ok(Compound {
            parts,
            bits: None,
            mem: Some(mem),
            is_array,
            is_scalable,
            is_quad,
            bytes,
            carriers: Vec::new(),
        })
    }

    /// The vector that a type is.
    pub(super) fn vector_of(&self, compound: &Compound) -> Option<Lanes> {
        compound.mem.and_then(|mem| self.lanes_in(mem))
    }

    /// True for a type of vectors, which are parts of functions that nothing else calls only.
    pub(super) fn has_vector(&self, compound: &Compound) -> bool {
        compound.mem.is_some_and(|mem| self.has_vectors(mem))
    }

    // ---- Operands ---------------------------------------------------------------------------------------

    /// The parts of a value of such a type.
    pub(super) fn compound_operand(&mut self, b: &mut Builder, compound: &Compound) -> Parsed<Vec<Operand>> {
        let lanes = self.vector_of(compound);
        if let Some(lanes) = lanes.filter(|lanes| lanes.held().is_some()) {
            return self.lanes_operand(b, lanes);
        }
        if let Token::Local(text) = self.token {
            let at = self.start;
            let name = self.local_operand(b, text)?;
            if let Some(Wide { bits, words }) = b.wides.get(&name) {
                if compound.bits != Some(*bits) {
                    return Err(other_type(self.lexer.text, at, b, name));
                }
                let words = words.iter().map(|&word| Operand::Value(word)).collect();
                return Ok(words);
            }
            match compound.mem {
                Some(mem) => self.has_parts(b, name, mem, at)?,
                None if b.aggregates.contains_key(&name) => {
                    return Err(other_type(self.lexer.text, at, b, name));
                }
                None => {}
            }
            let mut operands = Vec::new();
            for (k, &(ty, _)) in compound.parts.iter().enumerate() {
                let name = b.part_name(name, k);
                operands.push(match b.local_value(name) {
                    Some(v) if b.f.type_of(v) == ty => Operand::Value(v),
                    Some(_) => return Err(other_type(self.lexer.text, at, b, name)),
                    None => Operand::Later { name, ty, at: at as u32 },
                });
            }
            return Ok(operands);
        }
        if let Some(bits) = compound.bits {
            let wide = if compound.is_quad { self.quad_operand(b)? } else { self.wide_operand(b, bits)? };
            return Ok(wide.words.into_iter().map(Operand::Value).collect());
        }
        if let Some(lanes) = lanes {
            return self.lanes_constant(b, lanes, 0);
        }
        let at = self.start;
        let mut operands = Vec::new();
        let mut depth = 0;
        let types: Vec<Type> = compound.parts.iter().map(|part| part.0).collect();
        self.compound_constant(b, &types, &mut operands)?;
        // Brackets in brackets: each value has its type before it.
        loop {
            if let Token::Mark(b'[' | b'{' | b'<') = self.token
                && operands.len() <= types.len()
            {
                if self.eat(b'<')? {
                    self.expect(b'{')?;
                } else {
                    self.advance()?;
                }
                depth += 1;
                if matches!(self.token, Token::Mark(b']' | b'}')) {
                    // Nothing in it.
                } else {
                    self.compound_element(b, &mut operands)?;
                    continue;
                }
            }
            // A value has ended.
            while depth > 0 && matches!(self.token, Token::Mark(b']' | b'}')) {
                self.advance()?;
                self.eat(b'>')?;
                depth -= 1;
            }
            if depth == 0 {
                break;
            }
            self.expect(b',')?;
            self.compound_element(b, &mut operands)?;
        }
        let fits = operands.len() == types.len()
            && operands.iter().zip(&types).all(|(operand, &ty)| b.f.type_of(operand.now()) == ty);
        if fits { Ok(operands) } else { self.error_at(at, "this value has other parts than its type") }
    }

    /// That a name is of a value of this type, or will be.
    pub(super) fn has_parts(&self, b: &mut Builder, name: Local, mem: Mem, at: usize) -> Parsed<()> {
        match b.aggregates.get(&name) {
            Some(&of) if !self.is_same(of, mem) => Err(other_type(self.lexer.text, at, b, name)),
            Some(_) => Ok(()),
            None => {
                b.awaited.push((name, mem, at as u32));
                Ok(())
            }
        }
    }

    /// A type, and a value that is not in brackets.
    fn compound_element(&mut self, b: &mut Builder, operands: &mut Vec<Operand>) -> Parsed<()> {
        if self.at_compound() || self.vector_ahead().is_some() {
            let compound = self.compound_type()?;
            let is_vector = self.vector_of(&compound).is_some();
            if compound.bits.is_some() || is_vector || matches!(self.token, Token::Local(_)) {
                operands.extend(self.compound_operand(b, &compound)?);
                return Ok(());
            }
            let types: Vec<Type> = compound.parts.iter().map(|part| part.0).collect();
            return self.compound_constant(b, &types, operands);
        }
        let ty = self.ty()?;
        operands.push(self.operand(b, ty)?);
        Ok(())
    }

    /// `undef`, `zeroinitializer` and the like; nothing if there is a bracket.
    fn compound_constant(
        &mut self,
        b: &mut Builder,
        types: &[Type],
        operands: &mut Vec<Operand>,
    ) -> Parsed<()> {
        match self.token {
            Token::Mark(b'[' | b'{' | b'<') => return Ok(()),
            Token::Word("undef" | "poison") => {
                for &ty in types {
                    b.f.note_type(ty);
                    operands.push(Operand::Value(Value::undef(ty)));
                }
            }
            Token::Word("zeroinitializer") => {
                for &ty in types {
                    let zero = match ty {
                        Type::Ptr => self.number_address(b, 0)?,
                        _ => b.f.constant(Number::zero(ty)),
                    };
                    operands.push(Operand::Value(zero));
                }
            }
            Token::Bytes(_) => return self.error("a string as a value is not supported"),
            _ => return self.expected("a value"),
        }
        self.advance()
    }

    // ---- Instructions -----------------------------------------------------------------------------------

    /// What has been made, for `bind`.
    pub(super) fn made(&self, b: &mut Builder, parts: Vec<Value>, compound: &Compound) -> Value {
        b.made = Some(Made { parts, bits: compound.bits, mem: compound.mem });
        Value::undef(Type::Void)
    }

    /// Gives a name its parts.
    pub(super) fn bind_parts(&self, b: &mut Builder, name: Local, made: Made) -> Parsed<()> {
        let Made { parts, bits, mem } = made;
        let mut is_new = !b.is_taken(name);
        // A vector that the tables have is one.
        let held = mem.and_then(|mem| self.lanes_in(mem)).and_then(Lanes::held);
        if let Some(ty) = held.filter(|_| is_new) {
            let whole = b.gathered(ty, &parts);
            b.define(name, whole);
            return Ok(());
        }
        b.has_several = true;
        for (k, &v) in parts.iter().enumerate() {
            let part = b.part_name(name, k);
            is_new &= b.set_local(part, v);
            if let (Some(i), true) = (v.as_inst(), b.f.names.is_some()) {
                let name = b.name_of(name);
                // What is taken out of a pair of our own has the name.
                if k > 0 || !name.ends_with(PAIR) {
                    _ = b.f.names.as_mut().map(|names| names.read_part(i, &name));
                }
            }
        }
        if let Some(mem) = mem {
            is_new &= b.aggregates.insert(name, mem).is_none();
        }
        if let Some(bits) = bits {
            is_new &= b.wides.insert(name, Wide { bits, words: parts }).is_none();
        }
        if !is_new {
            let message = format!("`%{}` is defined twice", b.name_of(name));
            return Err(error_at(self.lexer.text, b.at as usize, message));
        }
        Ok(())
    }

    /// `load`, behind its flags.
    pub(super) fn load_compound(&mut self, b: &mut Builder, is_volatile: bool) -> Parsed<Value> {
        let at = self.start;
        let compound = self.compound_type()?;
        compound.mem.map_or(Ok(()), |mem| self.is_in_memory(mem, at))?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let access = self.trailer_of(Bearer::load(Type::Void))?;
        if self.platform.name.is_empty() {
            self.fill(b, address);
        }
        let mut parts = Vec::new();
        for &(ty, at) in &compound.parts {
            let place = self.place_behind(b, address, at);
            parts.push(self.load_of(b, ty, place, self.access_at(ty, access, at), is_volatile)?);
        }
        Ok(self.made(b, parts, &compound))
    }

    /// Where what is read is executed: a struct that is read as a whole may have gaps that nothing has written, which is no error.
    /// If it is a local one, these are zeros.
    pub(super) fn fill(&mut self, b: &mut Builder, address: Operand) {
        let mut at = address.now().as_inst();
        while let Some(i) = at.filter(|&i| b.f.op(i) == Op::ElemAddr) {
            at = b.f.arg(i, 0).as_inst();
        }
        let Some(local) = at.filter(|&i| b.f.op(i) == Op::Alloca) else { return };
        if b.f.next(local).is_some_and(|next| b.f.op(next) == Op::MemInit) {
            return;
        }
        let shapes = &self.module.env.shapes;
        if let Ok(bytes) = u32::try_from(shapes.bytes(Shape::new(b.f.payload(local) as usize))) {
            let place = b.place();
            b.f.insert(At::After(local), Op::MemInit, Type::Void, &[Value::inst(local)], bytes, place);
        }
    }

    /// `store`, behind its flags.
    pub(super) fn store_compound(&mut self, b: &mut Builder, is_volatile: bool) -> Parsed<()> {
        let at = self.start;
        let compound = self.compound_type()?;
        compound.mem.map_or(Ok(()), |mem| self.is_in_memory(mem, at))?;
        let operands = self.compound_operand(b, &compound)?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let access = self.trailer()?;
        for (&(ty, at), operand) in compound.parts.iter().zip(operands) {
            let place = self.place_behind(b, address, at);
            self.store_of(b, ty, operand, place, self.access_at(ty, access, at), is_volatile)?;
        }
        Ok(())
    }

    /// `freeze`, behind its word.
    pub(super) fn freeze_compound(&mut self, b: &mut Builder) -> Parsed<Value> {
        let compound = self.compound_type()?;
        let operands = self.compound_operand(b, &compound)?;
        let mut parts = Vec::new();
        for (operand, &(ty, _)) in operands.into_iter().zip(&compound.parts) {
            let v = b.settled(operand);
            parts.push(match ty {
                _ if !b.original(v).is_undef() => v,
                Type::Ptr => self.number_address(b, 0)?,
                _ => b.f.constant(Number::zero(ty)),
            });
        }
        Ok(self.made(b, parts, &compound))
    }

    /// `select`, behind its condition and the comma.
    pub(super) fn select_compound(&mut self, b: &mut Builder, condition: Operand) -> Parsed<Value> {
        let compound = self.compound_type()?;
        let yes = self.compound_operand(b, &compound)?;
        self.expect(b',')?;
        let at = self.start;
        let other = self.compound_type()?;
        if other.bits != compound.bits
            || compound.mem.zip(other.mem).is_some_and(|(one, other)| !self.is_same(one, other))
        {
            return self.error_at(at, "both values of a select must be of one type");
        }
        let no = self.compound_operand(b, &compound)?;
        let mut parts = Vec::new();
        for ((yes, no), &(ty, _)) in yes.into_iter().zip(no).zip(&compound.parts) {
            parts.push(Value::inst(b.insert(Op::Select, ty, &[condition, yes, no], 0)));
        }
        Ok(self.made(b, parts, &compound))
    }

    /// `, 0, 1`: the first part of what these numbers lead to, and its type.
    fn path(&mut self, compound: &Compound) -> Parsed<(usize, Mem)> {
        let Some(mut mem) = compound.mem else { return self.error("this is no aggregate") };
        let mut bytes = 0u64;
        let mut first = 0;
        if self.token != Token::Mark(b',') || self.comma_before_meta() {
            return self.expected("the number of a part");
        }
        while self.token == Token::Mark(b',') && !self.comma_before_meta() {
            self.advance()?;
            let at = self.start;
            let k = self.number()?;
            for before in 0..k.min(MOST_PARTS as u64) {
                let (part, _) = self.known_part(mem, before, at)?;
                first += self.parts_of(part, MOST_PARTS).map_or(0, |parts| parts.len());
            }
            let (part, offset) = self.known_part(mem, k, at)?;
            (mem, bytes) = (part, bytes + offset);
        }
        Ok((first, mem))
    }

    /// `extractvalue`, behind its word.
    pub(super) fn extract_value(&mut self, b: &mut Builder) -> Parsed<Value> {
        let compound = self.compound_type()?;
        let operands = self.compound_operand(b, &compound)?;
        let (first, mem) = self.path(&compound)?;
        let count = self.parts_of(mem, MOST_PARTS).map_or(0, |parts| parts.len());
        let mut parts = Vec::new();
        for &operand in operands.iter().skip(first).take(count) {
            parts.push(b.settled(operand));
        }
        if let Some(lanes) = self.lanes_in(mem) {
            return Ok(self.whole(b, lanes, parts));
        }
        match parts.first().filter(|_| self.is_scalar(mem)) {
            Some(&v) => Ok(v),
            None => {
                let bits = self.width_of(mem);
                b.made = Some(Made { parts, bits, mem: Some(mem).filter(|_| bits.is_none()) });
                Ok(Value::undef(Type::Void))
            }
        }
    }

    /// `insertvalue`, behind its word.
    pub(super) fn insert_value(&mut self, b: &mut Builder) -> Parsed<Value> {
        let compound = self.compound_type()?;
        let mut operands = self.compound_operand(b, &compound)?;
        self.expect(b',')?;
        let at = self.start;
        let is_one = !self.at_compound() && self.vector_ahead().is_none();
        let part = if is_one { None } else { Some(self.compound_type()?) };
        let inserted = match &part {
            Some(part) => self.compound_operand(b, part)?,
            None => vec![self.typed_operand(b)?.1],
        };
        let (first, mem) = self.path(&compound)?;
        let types = self.parts_of(mem, MOST_PARTS).unwrap_or_default();
        let is_so = match part {
            Some(Compound { mem: Some(of), .. }) => self.is_same(of, mem),
            Some(Compound { bits, .. }) => bits == self.width_of(mem),
            None => self.is_scalar(mem),
        };
        let fits = is_so
            && types.len() == inserted.len()
            && types.iter().zip(&inserted).all(|(part, operand)| b.f.type_of(operand.now()) == part.0);
        if !fits {
            return self.error_at(at, "this is not of the type of the part");
        }
        for (place, operand) in operands.iter_mut().skip(first).zip(inserted) {
            *place = operand;
        }
        let parts = operands.into_iter().map(|operand| b.settled(operand)).collect();
        Ok(self.made(b, parts, &compound))
    }

    /// `ret`, behind its word.
    pub(super) fn return_compound(&mut self, b: &mut Builder) -> Parsed<()> {
        let at = self.start;
        let (ty, compound) = self.result_type(false)?;
        let Some(compound) = compound else { return self.expected("a value of several parts") };
        let operands = self.compound_operand(b, &compound)?;
        let row = &self.module.env.funcs[b.f.func];
        let results = row.parts.as_deref().map_or(&[][..], |parts| &parts.results);
        if !self.is_result_of(b.f.func, Some(&compound)) || *results != *self.results_of(Some(&compound)) {
            return self.error_at(at, "the result has another type");
        }
        let room = b.f.params().next().map(|room| Operand::Value(Value::inst(room)));
        if !compound.carriers.is_empty() {
            let parts: Vec<Value> = operands.into_iter().map(|operand| b.settled(operand)).collect();
            let mut returned = None;
            match room.filter(|_| ty == Type::Void) {
                Some(room) => self.store_carried(b, &compound, room, &parts)?,
                None => returned = self.in_registers(b, &compound, &parts)?.first().copied(),
            }
            b.f.set_ret(b.block, returned, b.place());
            return Ok(());
        }
        if let [operand] = *operands {
            b.f.set_ret(b.block, Some(operand.now()), b.place());
            self.wait_terminator(b, operand);
            return Ok(());
        }
        if let Some(room) = room {
            for (operand, &(_, at)) in operands.into_iter().zip(&compound.parts) {
                let place = self.place_behind(b, room, at);
                b.insert(Op::Store, Type::Void, &[operand, place], 0);
            }
        }
        b.f.set_ret(b.block, None, b.place());
        Ok(())
    }

    /// A phi, behind its flags: a phi for each part.
    pub(super) fn compound_phi(
        &mut self,
        b: &mut Builder,
        (result, flags): (Option<Text<'a>>, Option<usize>),
        phis: &mut Vec<ReadPhi<'a>>,
    ) -> Parsed<()> {
        let at = b.at;
        let name = self.local_name(b, result)?;
        let compound = self.compound_type()?;
        if compound.is_integer() {
            self.floats_only(flags, Type::Void)?;
        }
        if b.is_taken(name) {
            return self.error_at(at as usize, format!("`%{}` is defined twice", b.name_of(name)));
        }
        b.has_several = true;
        if let Some(mem) = compound.mem {
            b.aggregates.insert(name, mem);
        }
        let mut rows = Vec::new();
        loop {
            self.expect(b'[')?;
            let operands = self.compound_operand(b, &compound)?;
            self.expect(b',')?;
            let from = self.block_operand(b)?;
            self.expect(b']')?;
            rows.push((operands, from));
            if self.token != Token::Mark(b',') || !self.comma_before_bracket() {
                break;
            }
            self.advance()?;
        }
        self.metadata_behind()?;
        for (k, &(ty, _)) in compound.parts.iter().enumerate() {
            let first = b.incoming.len();
            b.incoming.extend(rows.iter().filter_map(|(operands, from)| Some((*operands.get(k)?, *from))));
            let part = Some(b.part_name(name, k));
            phis.push((None, ty, Phi { inst: Inst::new(0), first, count: rows.len(), at, part }));
        }
        Ok(())
    }

    /// Gives a part of a phi its name.
    pub(super) fn bind_phi(&self, b: &mut Builder, part: Local, phi: Inst) -> Parsed<()> {
        if b.set_local(part, Value::inst(phi)) {
            return Ok(());
        }
        self.error_at(b.at as usize, "a phi is defined twice")
    }
}
