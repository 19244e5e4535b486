//! Functions of the random programs, those that call themselves, and `main`, which calls the others and sums
//! the globals up.

use super::*;

impl Mixed<'_> {
    // ---- Functions ---------------------------------------------------------------------------------------

    pub(super) fn function(&mut self, lines: usize) {
        let quiet = self.chance(50);
        let returns = match self.below(5) {
            0 if !quiet => None,
            1 => Some(Scalar::Float),
            _ => Some(Scalar::Int),
        };
        let recursive = returns.is_some() && self.chance(12);
        let count = if self.chance(10) { 8 + self.below(10) } else { self.below(6) };
        let mut params = Vec::new();
        for k in 0..count {
            let scalar = self.scalar();
            let dims: &[usize] = match (self.below(4), scalar) {
                (0, Scalar::Int) => INT_SHAPES[self.below(INT_SHAPES.len())],
                (0, Scalar::Float) => FLOAT_SHAPES[self.below(FLOAT_SHAPES.len())],
                _ => &[],
            };
            params.push(Var {
                name: format!("p{k}"),
                scalar,
                dims: dims.to_vec(),
                // An argument may be constant where the function promises not to write it.
                writable: dims.is_empty() || !quiet,
                bound: None,
                local: dims.is_empty(),
            });
        }
        let name = self.name("f");
        if recursive {
            self.recursive_function(name, params, returns);
        } else {
            self.one_function(name, lines, params, returns, quiet);
        }
    }

    pub(super) fn signature(&mut self, name: &str, params: &[Var], returns: Option<Scalar>) {
        let declared: Vec<String> = params
            .iter()
            .map(|p| {
                let inner: String = p.dims.iter().skip(1).map(|n| format!("[{n}]")).collect();
                let first = if p.dims.is_empty() { "" } else { "[]" };
                format!("{} {}{first}{inner}", p.scalar.word(), p.name)
            })
            .collect();
        self.w.open(format!("{} {name}({})", returns.map_or("void", Scalar::word), declared.join(", ")));
    }

    pub(super) fn one_function(
        &mut self,
        name: String,
        lines: usize,
        params: Vec<Var>,
        returns: Option<Scalar>,
        quiet: bool,
    ) {
        self.signature(&name, &params, returns);
        self.blocks.push(self.vars.len());
        self.vars.extend(params.iter().cloned());
        (self.quiet, self.returns, self.weight, self.cost) = (quiet, returns, 1, 1);
        let until = self.w.lines + lines;
        self.statements(until, 0);
        if let Some(scalar) = returns {
            let value = self.value(scalar, 2);
            self.w.line(format!("return {value};"));
        }
        self.close();
        self.functions.push(Function { name, returns, params, quiet, cost: self.cost, recursive: false });
    }

    /// Calls itself twice, `depth` deep, between reads of its parameters.
    pub(super) fn recursive_function(&mut self, name: String, mut params: Vec<Var>, returns: Option<Scalar>) {
        let Some(scalar) = returns else { return };
        for param in &mut params {
            param.writable = false;
        }
        let depth = Var {
            name: "depth".to_string(),
            scalar: Scalar::Int,
            dims: vec![],
            writable: false,
            bound: None,
            local: true,
        };
        params.insert(0, depth);
        self.signature(&name, &params, returns);
        self.blocks.push(self.vars.len());
        self.vars.extend(params.iter().cloned());
        (self.quiet, self.returns, self.weight, self.cost) = (true, returns, 1, 1);
        let base = self.value(scalar, 1);
        self.w.line(format!("if (depth <= 0) return {base};"));
        let again = |m: &mut Self| {
            let rest: Vec<String> = params[1..]
                .iter()
                .map(|p| match (p.dims.is_empty(), p.scalar) {
                    (false, _) => p.name.clone(),
                    (true, Scalar::Int) => m.int(1).text,
                    (true, Scalar::Float) => m.float(1).text,
                })
                .collect();
            let rest: String = rest.iter().map(|text| format!(", {text}")).collect();
            format!("{name}(depth - 1{rest})")
        };
        let (one, two, beside) = (again(self), again(self), self.value(scalar, 1));
        self.w.line(format!("{} r = {one};", scalar.word()));
        self.w.line(format!("return r - {two} + {};", piece(beside, OR).within(MUL)));
        self.close();
        let cost = self.cost * 16;
        self.functions.push(Function { name, returns, params, quiet: true, cost, recursive: true });
    }

    pub(super) fn main(&mut self, last_only: bool) {
        self.w.open("int main()");
        self.blocks.push(self.vars.len());
        (self.quiet, self.returns, self.weight, self.cost) = (false, Some(Scalar::Int), 1, 0);
        self.limit = PROGRAM_COST * 8;
        let first = if last_only { self.functions.len() - 1 } else { 0 };
        let skip = |m: &Self, k: usize| m.cost + m.functions[k].cost > PROGRAM_COST;
        for k in first..self.functions.len() {
            // What would cost too much is called where no compiler knows that control never gets there: it is
            // compiled like the rest.
            let skipped = !last_only && skip(self, k);
            let cost = self.cost;
            let call = self.call_of(k, 1);
            if skipped {
                self.cost = cost;
                self.w.open(format!("if (checksum == {k} - 2000000000)"));
            }
            match self.functions[k].returns {
                None => self.w.line(format!("{call};")),
                Some(Scalar::Int) => self.w.line(format!("mix({call});")),
                Some(Scalar::Float) => self.w.line(format!("show({call});")),
            }
            if skipped {
                self.w.close();
            } else {
                self.w.line("tell();");
            }
        }
        let globals: Vec<Var> = self.vars.iter().filter(|v| v.writable && !v.local).cloned().collect();
        for (n, var) in globals.iter().enumerate() {
            let mut place = var.name.clone();
            for (d, length) in var.dims.iter().enumerate() {
                let counter = format!("k{n}_{d}");
                self.w.line(format!("int {counter} = 0;"));
                self.w.open(format!("while ({counter} < {length})"));
                place.push_str(&format!("[{counter}]"));
            }
            match var.scalar {
                Scalar::Int => self.w.line(format!("mix({place});")),
                Scalar::Float => self.w.line(format!("mix(to_int({place} * 64.0));")),
            }
            for d in (0..var.dims.len()).rev() {
                self.w.line(format!("k{n}_{d} = k{n}_{d} + 1;"));
                self.w.close();
            }
        }
        self.w.line("tell();");
        self.w.line("return checksum % 128 + 128;");
        self.close();
    }
}
