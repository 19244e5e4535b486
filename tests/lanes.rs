//! Random LLVM text with vectors of all scalars and of 1 to 64 lanes, against a real LLVM: `lli` runs it, and so do the
//! interpreter, with and without passes, and programs that are made of it for one target each.
//!
//! `SYSYC_SEED` is the first, `SYSYC_LANES` how many; a text depends on its number alone. A text takes 0.2 s, half of it in
//! `lli`, and one in eight a second under qemu.

#![allow(clippy::expect_used, clippy::panic)]

use crate::cross::{TARGETS, run};
use std::fmt::Write;
use std::process::Command;
use sysyc::base::parallel::Workers;
use sysyc::ir::interp::{self, Options};
use sysyc::ir::{Module, parse};
use sysyc::opt;

/// Scalars, as text has them: type, code in names, bits, whether it is a float.
const SCALARS: [(&str, &str, u32, bool); 7] = [
    ("i1", "i1", 1, false),
    ("i8", "i8", 8, false),
    ("i16", "i16", 16, false),
    ("i32", "i32", 32, false),
    ("i64", "i64", 64, false),
    ("float", "f32", 32, true),
    ("double", "f64", 64, true),
];

const COUNTS: [u32; 12] = [1, 2, 3, 4, 4, 5, 8, 8, 12, 16, 32, 64];

/// What `lli` needs: ours has these.
const OUTPUT: &str = "
@format = private constant [4 x i8] c\"%d \\00\"
declare i32 @printf(ptr, ...)
define void @putint(i32 %x) {
  %1 = call i32 (ptr, ...) @printf(ptr @format, i32 %x)
  ret void
}
";

/// A vector that has been made: which scalar, how many, its name.
#[derive(Clone, Debug)]
struct Made {
    scalar: usize,
    count: u32,
    name: String,
}

impl Made {
    fn ty(&self) -> String {
        vector(self.scalar, self.count)
    }

    fn code(&self) -> String {
        format!("v{}{}", self.count, SCALARS[self.scalar].1)
    }

    fn typed(&self) -> String {
        format!("{} {}", self.ty(), self.name)
    }

    fn bits(&self) -> u32 {
        SCALARS[self.scalar].2
    }

    fn is_float(&self) -> bool {
        SCALARS[self.scalar].3
    }
}

fn vector(scalar: usize, count: u32) -> String {
    format!("<{count} x {}>", SCALARS[scalar].0)
}

/// A text that is being made.
struct Text {
    state: u64,
    body: String,
    /// Functions that are declared.
    declared: Vec<String>,
    pool: Vec<Made>,
    number: u32,
    /// The block that is open.
    block: String,
}

impl Text {
    fn below(&mut self, most: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % u64::from(most)) as u32
    }

    fn fresh(&mut self) -> String {
        self.number += 1;
        format!("%v{}", self.number)
    }

    /// Appends an instruction with a result.
    fn row(&mut self, text: &str) -> String {
        let name = self.fresh();
        writeln!(self.body, "  {name} = {text}").expect("text grows");
        name
    }

    fn keep(&mut self, scalar: usize, count: u32, text: &str) -> Made {
        let name = self.row(text);
        let made = Made { scalar, count, name };
        self.pool.push(made.clone());
        made
    }

    fn declare(&mut self, text: String) {
        if !self.declared.contains(&text) {
            self.declared.push(text);
        }
    }

    /// A vector that has been made, of this kind; or a constant.
    fn any(&mut self, scalar: usize, count: u32) -> Made {
        let fits: Vec<Made> =
            self.pool.iter().filter(|v| (v.scalar, v.count) == (scalar, count)).cloned().collect();
        if !fits.is_empty() && self.below(5) != 0 {
            return fits[self.below(fits.len() as u32) as usize].clone();
        }
        Made { scalar, count, name: self.constant(scalar, count) }
    }

    /// The vector that was made last, or any.
    fn one(&mut self) -> Made {
        let k = self.pool.len() as u32;
        let k = if self.below(3) == 0 { k - 1 } else { self.below(k) };
        self.pool[k as usize].clone()
    }

    fn number_of(&mut self, scalar: usize) -> String {
        let (_, _, bits, is_float) = SCALARS[scalar];
        match bits {
            1 => ["false", "true"][self.below(2) as usize].to_string(),
            _ if is_float => {
                format!("{}.{}", self.below(19) as i32 - 9, ["0", "5", "25"][self.below(3) as usize])
            }
            8 => (self.below(256) as i32 - 128).to_string(),
            _ => (self.below(40000) as i32 - 20000).to_string(),
        }
    }

    fn constant(&mut self, scalar: usize, count: u32) -> String {
        if self.below(6) == 0 {
            return "zeroinitializer".to_string();
        }
        let ty = SCALARS[scalar].0;
        let lanes: Vec<String> = (0..count).map(|_| format!("{ty} {}", self.number_of(scalar))).collect();
        format!("<{}>", lanes.join(", "))
    }

    /// A mask with lanes that are known, or not.
    fn truths(&mut self, count: u32) -> Made {
        self.any(0, count)
    }

    /// Calls an intrinsic on one type of vectors.
    fn intrinsic(&mut self, name: &str, v: &Made, args: &str, types: &str) -> Made {
        let (ty, code) = (v.ty(), v.code());
        self.declare(format!("declare {ty} @llvm.{name}.{code}({types})"));
        self.keep(v.scalar, v.count, &format!("call {ty} @llvm.{name}.{code}({args})"))
    }

    /// Floats that are numbers, and zeros of one sign: what NaNs have in them differs among machines.
    fn canonical(&mut self, v: &Made) -> Made {
        if !v.is_float() {
            return v.clone();
        }
        let (ty, name) = (v.ty(), &v.name);
        let is = self.row(&format!("fcmp ord {ty} {name}, {name}"));
        let truths = vector(0, v.count);
        let number = self.row(&format!("select {truths} {is}, {ty} {name}, {ty} zeroinitializer"));
        let name = self.row(&format!("fadd {ty} {number}, zeroinitializer"));
        Made { name, ..*v }
    }

    /// An address in the memory that is read or written.
    fn place(&mut self, global: &str, most: u32) -> String {
        let at = self.below(most);
        self.row(&format!("getelementptr inbounds i8, ptr @{global}, i64 {at}"))
    }

    fn step(&mut self) {
        let v = self.one();
        let (ty, name, count, scalar) = (v.ty(), v.name.clone(), v.count, v.scalar);
        let code = v.code();
        let is_int = !v.is_float();
        let wide = is_int && v.bits() > 1;
        match self.below(35) {
            0..=2 if is_int => {
                let op = ["add", "sub", "mul", "and", "or", "xor"][self.below(6) as usize];
                let w = self.any(scalar, count).name;
                self.keep(scalar, count, &format!("{op} {ty} {name}, {w}"));
            }
            0..=2 => {
                let op = ["fadd", "fsub", "fmul"][self.below(3) as usize];
                let w = self.any(scalar, count).name;
                self.keep(scalar, count, &format!("{op} {ty} {name}, {w}"));
            }
            3 if wide => {
                let op = ["shl", "lshr", "ashr"][self.below(3) as usize];
                let w = self.any(scalar, count).name;
                let most = format!("{} {}", SCALARS[scalar].0, v.bits() - 1);
                let most: Vec<String> = (0..count).map(|_| most.clone()).collect();
                let by = self.row(&format!("and {ty} {w}, <{}>", most.join(", ")));
                self.keep(scalar, count, &format!("{op} {ty} {name}, {by}"));
            }
            4 if wide => {
                let op = ["sdiv", "udiv", "srem", "urem"][self.below(4) as usize];
                let w = self.any(scalar, count).name;
                let of = |x: u32| {
                    let lane = format!("{} {x}", SCALARS[scalar].0);
                    (0..count).map(|_| lane.clone()).collect::<Vec<_>>().join(", ")
                };
                let low = self.row(&format!("and {ty} {w}, <{}>", of(31)));
                let by = self.row(&format!("or {ty} {low}, <{}>", of(1)));
                self.keep(scalar, count, &format!("{op} {ty} {name}, {by}"));
            }
            5 | 6 => {
                let w = self.any(scalar, count).name;
                let (op, preds) = match is_int {
                    true => ("icmp", &["eq", "ne", "slt", "sge", "ult", "ugt"][..]),
                    false => ("fcmp", &["oeq", "olt", "uge", "une", "ord", "ueq"][..]),
                };
                let pred = preds[self.below(6) as usize];
                self.keep(0, count, &format!("{op} {pred} {ty} {name}, {w}"));
            }
            7 | 8 => {
                let w = self.any(scalar, count).name;
                let by = if self.below(3) == 0 { "i1 %c".to_string() } else { self.truths(count).typed() };
                self.keep(scalar, count, &format!("select {by}, {ty} {name}, {ty} {w}"));
            }
            9..=11 if is_int => {
                let to = self.below(5) as usize;
                let (more, to_ty) = (SCALARS[to].2, vector(to, count));
                let op = match more.cmp(&v.bits()) {
                    std::cmp::Ordering::Less => "trunc",
                    std::cmp::Ordering::Equal => return,
                    std::cmp::Ordering::Greater => ["sext", "zext"][self.below(2) as usize],
                };
                self.keep(to, count, &format!("{op} {ty} {name} to {to_ty}"));
            }
            9 => {
                let (op, to) = if scalar == 5 { ("fpext", 6) } else { ("fptrunc", 5) };
                self.keep(to, count, &format!("{op} {ty} {name} to {}", vector(to, count)));
            }
            12 if is_int => {
                let to = 5 + self.below(2) as usize;
                let op = ["sitofp", "uitofp"][self.below(2) as usize];
                let float = self.keep(to, count, &format!("{op} {ty} {name} to {}", vector(to, count)));
                if v.bits() <= 16 {
                    let back = 3 + self.below(2) as usize;
                    self.keep(back, count, &format!("fptosi {} to {}", float.typed(), vector(back, count)));
                }
            }
            13..=15 => {
                let w = self.any(scalar, count).name;
                let to = COUNTS[self.below(COUNTS.len() as u32) as usize];
                let mask: Vec<String> = (0..to)
                    .map(|_| match self.below(2 * count) {
                        k if self.number.is_multiple_of(5) => format!("i32 {}", k % count),
                        k => format!("i32 {k}"),
                    })
                    .collect();
                let mask = match self.below(6) {
                    0 => "zeroinitializer".to_string(),
                    _ => format!("<{}>", mask.join(", ")),
                };
                self.keep(scalar, to, &format!("shufflevector {ty} {name}, {ty} {w}, <{to} x i32> {mask}"));
            }
            16 => {
                let from = if self.below(2) == 0 {
                    format!("i64 {}", self.below(count))
                } else {
                    format!("i32 {}", self.row(&format!("urem i32 %i, {count}")))
                };
                let x = self.row(&format!("extractelement {ty} {name}, {from}"));
                let of = SCALARS[scalar].0;
                let to = if self.below(2) == 0 {
                    format!("i32 {}", self.below(count))
                } else {
                    let i = self.row(&format!("urem i32 %i, {count}"));
                    format!("i64 {}", self.row(&format!("zext i32 {i} to i64")))
                };
                let w = self.any(scalar, count).name;
                self.keep(scalar, count, &format!("insertelement {ty} {w}, {of} {x}, {to}"));
            }
            17 | 18 => {
                let v = self.canonical(&v);
                let all = v.bits() * count;
                let fits: Vec<usize> = (0..7).filter(|&k| all.is_multiple_of(SCALARS[k].2)).collect();
                let to = fits[self.below(fits.len() as u32) as usize];
                let lanes = all / SCALARS[to].2;
                if lanes <= 64 {
                    self.keep(to, lanes, &format!("bitcast {} to {}", v.typed(), vector(to, lanes)));
                }
            }
            19 if is_int => {
                let op = ["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"]
                    [self.below(9) as usize];
                let of = SCALARS[scalar].0;
                self.declare(format!("declare {of} @llvm.vector.reduce.{op}.{code}({ty})"));
                let x = self.row(&format!("call {of} @llvm.vector.reduce.{op}.{code}({ty} {name})"));
                self.keep(scalar, count, &format!("insertelement {ty} {name}, {of} {x}, i32 0"));
            }
            19 => {
                let op = ["fadd", "fmul"][self.below(2) as usize];
                let of = SCALARS[scalar].0;
                self.declare(format!("declare {of} @llvm.vector.reduce.{op}.{code}({of}, {ty})"));
                let x =
                    self.row(&format!("call {of} @llvm.vector.reduce.{op}.{code}({of} 1.0, {ty} {name})"));
                self.keep(scalar, count, &format!("insertelement {ty} {name}, {of} {x}, i32 0"));
            }
            20 | 21 if wide => {
                let op = ["smin", "smax", "umin", "umax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"]
                    [self.below(8) as usize];
                let w = self.any(scalar, count).name;
                self.intrinsic(op, &v, &format!("{ty} {name}, {ty} {w}"), &format!("{ty}, {ty}"));
            }
            22 if wide => match self.below(6) {
                0 => _ = self.intrinsic("ctpop", &v, &format!("{ty} {name}"), &ty),
                1 => _ = self.intrinsic("ctlz", &v, &format!("{ty} {name}, i1 false"), &format!("{ty}, i1")),
                2 => _ = self.intrinsic("cttz", &v, &format!("{ty} {name}, i1 false"), &format!("{ty}, i1")),
                3 => _ = self.intrinsic("abs", &v, &format!("{ty} {name}, i1 false"), &format!("{ty}, i1")),
                4 if v.bits() > 8 => _ = self.intrinsic("bswap", &v, &format!("{ty} {name}"), &ty),
                _ => {
                    let (w, x) = (self.any(scalar, count).name, self.any(scalar, count).name);
                    let op = ["fshl", "fshr"][self.below(2) as usize];
                    self.intrinsic(
                        op,
                        &v,
                        &format!("{ty} {name}, {ty} {w}, {ty} {x}"),
                        &format!("{ty}, {ty}, {ty}"),
                    );
                }
            },
            23 if !is_int => match self.below(3) {
                0 => _ = self.intrinsic("fabs", &v, &format!("{ty} {name}"), &ty),
                1 => _ = self.keep(scalar, count, &format!("fneg {ty} {name}")),
                _ => {
                    let w = self.any(scalar, count).name;
                    self.keep(scalar, count, &format!("fdiv {ty} {name}, {w}"));
                }
            },
            24 => {
                let place = self.place("from", 64);
                let align = if self.below(2) == 0 { "1" } else { "2" };
                self.keep(scalar, count, &format!("load {ty}, ptr {place}, align {align}"));
            }
            25 => {
                let place = self.place("to", 64);
                let v = self.canonical(&v);
                writeln!(self.body, "  store {}, ptr {place}, align 1", v.typed()).expect("text grows");
                if self.below(2) == 0 {
                    self.keep(scalar, count, &format!("load volatile {ty}, ptr {place}, align 1"));
                }
            }
            26 if scalar != 0 => {
                let (place, mask) = (self.place("from", 64), self.truths(count));
                let w = self.any(scalar, count);
                let types = format!("ptr, i32, {}, {ty}", mask.ty());
                self.declare(format!("declare {ty} @llvm.masked.load.{code}.p0({types})"));
                let args = format!("ptr {place}, i32 1, {}, {}", mask.typed(), w.typed());
                self.keep(scalar, count, &format!("call {ty} @llvm.masked.load.{code}.p0({args})"));
            }
            27 if scalar != 0 => {
                let (place, mask) = (self.place("to", 64), self.truths(count));
                let v = self.canonical(&v);
                let types = format!("{ty}, ptr, i32, {}", mask.ty());
                self.declare(format!("declare void @llvm.masked.store.{code}.p0({types})"));
                let args = format!("{}, ptr {place}, i32 1, {}", v.typed(), mask.typed());
                writeln!(self.body, "  call void @llvm.masked.store.{code}.p0({args})").expect("text grows");
            }
            28 if wide => {
                // Addresses by lane, and what is there.
                let most: Vec<String> = (0..count).map(|_| format!("{} 31", SCALARS[scalar].0)).collect();
                let near = self.row(&format!("and {ty} {name}, <{}>", most.join(", ")));
                let to = 1 + self.below(6) as usize;
                let of = SCALARS[to].0;
                let places = self.row(&format!("getelementptr inbounds {of}, ptr @from, {ty} {near}"));
                let (to_ty, mask) = (vector(to, count), self.truths(count));
                let code = format!("v{count}{}.v{count}p0", SCALARS[to].1);
                let types = format!("<{count} x ptr>, i32, {}, {to_ty}", mask.ty());
                self.declare(format!("declare {to_ty} @llvm.masked.gather.{code}({types})"));
                let other = self.any(to, count);
                let args = format!("<{count} x ptr> {places}, i32 1, {}, {}", mask.typed(), other.typed());
                let v = self.keep(to, count, &format!("call {to_ty} @llvm.masked.gather.{code}({args})"));
                if self.below(2) == 0 {
                    let v = self.canonical(&v);
                    let places = self.row(&format!("getelementptr inbounds {of}, ptr @to, {ty} {near}"));
                    let types = format!("{to_ty}, <{count} x ptr>, i32, {}", mask.ty());
                    self.declare(format!("declare void @llvm.masked.scatter.{code}({types})"));
                    let args = format!("{}, <{count} x ptr> {places}, i32 1, {}", v.typed(), mask.typed());
                    writeln!(self.body, "  call void @llvm.masked.scatter.{code}({args})")
                        .expect("text grows");
                }
            }
            29 => {
                // A loop with the vector in it.
                self.number += 1;
                let (k, before) = (self.number, self.block.clone());
                let (label, out) = (format!("loop{k}"), format!("out{k}"));
                let w = self.any(scalar, count).name;
                let op = if is_int { ["add", "xor", "sub"][self.below(3) as usize] } else { "fadd" };
                writeln!(
                    self.body,
                    "  br label %{label}\n{label}:\n  %n{k} = phi i32 [ 0, %{before} ], [ %m{k}, %{label} ]\n  \
                     %p{k} = phi {ty} [ {name}, %{before} ], [ %q{k}, %{label} ]\n  \
                     %q{k} = {op} {ty} %p{k}, {w}\n  %m{k} = add i32 %n{k}, 1\n  \
                     %e{k} = icmp eq i32 %m{k}, 3\n  br i1 %e{k}, label %{out}, label %{label}\n{out}:"
                )
                .expect("text grows");
                self.block = out;
                self.pool.push(Made { name: format!("%q{k}"), ..v });
                self.pool.push(Made { scalar, count, name: format!("%p{k}") });
            }
            30 => {
                let both = vector(scalar, 2 * count);
                let w = self.any(scalar, count).name;
                if 2 * count <= 64 {
                    let code = format!("v{}{}", 2 * count, SCALARS[scalar].1);
                    self.declare(format!("declare {both} @llvm.vector.interleave2.{code}({ty}, {ty})"));
                    let args = format!("{ty} {name}, {ty} {w}");
                    let mixed = self.keep(
                        scalar,
                        2 * count,
                        &format!("call {both} @llvm.vector.interleave2.{code}({args})"),
                    );
                    let parts = format!("{{ {ty}, {ty} }}");
                    self.declare(format!("declare {parts} @llvm.vector.deinterleave2.{code}({both})"));
                    let name = mixed.name;
                    let parts_of =
                        self.row(&format!("call {parts} @llvm.vector.deinterleave2.{code}({both} {name})"));
                    let k = self.below(2);
                    self.keep(scalar, count, &format!("extractvalue {parts} {parts_of}, {k}"));
                }
            }
            31 => {
                let w = self.any(scalar, count);
                self.declare(format!("declare {ty} @llvm.vector.reverse.{code}({ty})"));
                let turned =
                    self.keep(scalar, count, &format!("call {ty} @llvm.vector.reverse.{code}({ty} {name})"));
                let by = self.below(2 * count) as i32 - count as i32;
                self.declare(format!("declare {ty} @llvm.vector.splice.{code}({ty}, {ty}, i32)"));
                let args = format!("{}, {}, i32 {by}", turned.typed(), w.typed());
                self.keep(scalar, count, &format!("call {ty} @llvm.vector.splice.{code}({args})"));
            }
            32 => {
                // In a struct and out of it.
                let w = self.one();
                let both = format!("{{ {ty}, i32, {} }}", w.ty());
                let first = self.row(&format!("insertvalue {both} undef, {ty} {name}, 0"));
                let second = self.row(&format!("insertvalue {both} {first}, {}, 2", w.typed()));
                self.keep(scalar, count, &format!("extractvalue {both} {second}, 0"));
                self.keep(w.scalar, w.count, &format!("extractvalue {both} {second}, 2"));
            }
            33 => {
                self.keep(scalar, count, &format!("freeze {ty} {name}"));
                let truths = vector(0, count);
                self.declare(format!("declare {truths} @llvm.get.active.lane.mask.v{count}i1.i32(i32, i32)"));
                let args = format!("i32 %i, i32 {}", self.below(20));
                self.keep(
                    0,
                    count,
                    &format!("call {truths} @llvm.get.active.lane.mask.v{count}i1.i32({args})"),
                );
            }
            34 if wide && count <= 16 => {
                // Lanes that the tables lack.
                let bits = [72, 96, 100, 128][self.below(4) as usize];
                let to = format!("<{count} x i{bits}>");
                let extend = ["sext", "zext"][self.below(2) as usize];
                let x = self.row(&format!("{extend} {ty} {name} to {to}"));
                let other = self.any(scalar, count).name;
                let y = self.row(&format!("{extend} {ty} {other} to {to}"));
                let op = ["add", "sub", "mul", "and", "or", "xor"][self.below(6) as usize];
                let z = self.row(&format!("{op} {to} {x}, {y}"));
                let (lane, by) = (format!("i{bits}"), self.below(bits));
                let by: Vec<String> = (0..count).map(|_| format!("{lane} {by}")).collect();
                let shift = ["shl", "lshr", "ashr"][self.below(3) as usize];
                let moved = self.row(&format!("{shift} {to} {z}, <{}>", by.join(", ")));
                let is = self.row(&format!("icmp slt {to} {moved}, {x}"));
                self.pool.push(Made { scalar: 0, count, name: is.clone() });
                let chosen = self.row(&format!("select {} {is}, {to} {moved}, {to} {z}", vector(0, count)));
                self.keep(scalar, count, &format!("trunc {to} {chosen} to {ty}"));
                let op = ["add", "or", "xor"][self.below(3) as usize];
                self.declare(format!("declare {lane} @llvm.vector.reduce.{op}.v{count}{lane}({to})"));
                let one =
                    self.row(&format!("call {lane} @llvm.vector.reduce.{op}.v{count}{lane}({to} {chosen})"));
                let low = self.row(&format!("trunc {lane} {one} to i64"));
                self.keep(
                    4,
                    count,
                    &format!("insertelement {} zeroinitializer, i64 {low}, i32 0", vector(4, count)),
                );
            }
            _ => {}
        }
    }

    /// Shows a vector: each lane has a weight of its own.
    fn show(&mut self, v: &Made) {
        let v = self.canonical(v);
        let (count, wide) = (v.count, vector(4, v.count));
        let mut name = v.typed();
        if v.is_float() {
            let to = if v.bits() == 32 { 3 } else { 4 };
            let ty = vector(to, count);
            name = format!("{ty} {}", self.row(&format!("bitcast {name} to {ty}")));
        }
        let mut all = name.rsplit(' ').next().unwrap_or_default().to_string();
        if v.bits() < 64 {
            all = self.row(&format!("zext {name} to {wide}"));
        }
        let weights: Vec<String> = (0..count).map(|k| format!("i64 {}", 2 * k * k + 3)).collect();
        let product = self.row(&format!("mul {wide} {all}, <{}>", weights.join(", ")));
        self.declare(format!("declare i64 @llvm.vector.reduce.add.v{count}i64({wide})"));
        let sum = self.row(&format!("call i64 @llvm.vector.reduce.add.v{count}i64({wide} {product})"));
        let high = self.row(&format!("lshr i64 {sum}, 29"));
        let both = self.row(&format!("xor i64 {sum}, {high}"));
        let x = self.row(&format!("trunc i64 {both} to i32"));
        writeln!(self.body, "  call void @putint(i32 {x})").expect("text grows");
    }
}

/// A text of this number.
fn text(seed: u64) -> String {
    let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut t = Text {
        state,
        body: String::new(),
        declared: Vec::new(),
        pool: Vec::new(),
        number: 0,
        block: "entry".to_string(),
    };
    for _ in 0..4 {
        t.below(2);
    }
    for _ in 0..3 {
        let (scalar, count) = (t.below(7) as usize, COUNTS[t.below(COUNTS.len() as u32) as usize]);
        let place = t.place("from", 32);
        t.keep(scalar, count, &format!("load {}, ptr {place}, align 1", vector(scalar, count)));
    }
    for _ in 0..30 {
        t.step();
    }
    let shown = t.pool.clone();
    shown.iter().for_each(|v| t.show(v));
    for at in [0, 40, 100, 300] {
        let place = t.row(&format!("getelementptr inbounds i8, ptr @to, i64 {at}"));
        let name = t.row(&format!("load <16 x i32>, ptr {place}, align 1"));
        t.show(&Made { scalar: 3, count: 16, name });
    }
    let words: Vec<String> = (0..100)
        .map(|k: u64| format!("i64 {}", (k + seed).wrapping_mul(0x2545_f491_4f6c_dd1d) as i64))
        .collect();
    let mut whole = format!(
        "@from = constant [100 x i64] [{}]\n@to = global [100 x i64] zeroinitializer\n",
        words.join(", ")
    );
    writeln!(whole, "define i32 @work(i32 %i, i1 %c) {{\nentry:\n{}  ret i32 0\n}}", t.body)
        .expect("text grows");
    whole.push_str("define i32 @main() {\n  %a = call i32 @work(i32 5, i1 true)\n  %b = call i32 @work(i32 2, i1 false)\n  ret i32 0\n}\n");
    for line in &t.declared {
        writeln!(whole, "{line}").expect("text grows");
    }
    whole
}

fn executed(module: &Module) -> String {
    let (mut input, mut output, mut errors) = (&b""[..], Vec::new(), Vec::new());
    match interp::run(module, "main", &mut input, &mut output, &mut errors, Options::default()) {
        Ok(code) => format!("{}{code}", String::from_utf8_lossy(&output).replace(' ', "\n")),
        Err(trap) => format!("{trap}"),
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn vectors_of_text_do_what_a_real_llvm_does() {
    let first = number("SYSYC_SEED", 1);
    for seed in first..first + number("SYSYC_LANES", 34) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (folder, text) = (folder.path(), text(seed));
        // Ours shows a number, and nothing behind it.
        let ours = text.replace("call void @putint", "call void @shown")
            + "declare void @putint(i32)\ndeclare void @putch(i32)\ndefine void @shown(i32 %x) {\n  call void @putint(i32 %x)\n  call void @putch(i32 10)\n  ret void\n}\n";
        std::fs::write(folder.join("x.ll"), text + OUTPUT).expect("a file can be written");
        std::fs::write(folder.join("ours.ll"), &ours).expect("a file can be written");
        if let Ok(kept) = std::env::var("SYSYC_LANES_FOLDER") {
            std::fs::create_dir_all(&kept).expect("a folder can be made");
            std::fs::copy(folder.join("ours.ll"), format!("{kept}/{seed}.ll")).expect("a file can be copied");
            std::fs::copy(folder.join("x.ll"), format!("{kept}/{seed}.lli.ll"))
                .expect("a file can be copied");
        }
        let done = run(folder, Command::new("lli-19").arg("x.ll"));
        let want = format!("{}0", String::from_utf8_lossy(&done.stdout).replace(' ', "\n"));
        let module = parse::parse(&ours).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let same = |have: &str, what: &str| {
            let differs = have.lines().zip(want.lines()).position(|(a, b)| a != b);
            assert!(have == want, "seed {seed}, {what}: line {differs:?} differs");
        };
        same(&executed(&module), "as it is read");
        let verify = opt::Options { verify: true, ..opt::Options::default() };
        for level in [opt::Level::O1, opt::Level::O2] {
            let mut module = module.clone();
            let plan = opt::run::pipeline::plan(level);
            opt::run::manager::run_on_module(&mut module, plan, &verify, &Workers::new(1))
                .unwrap_or_else(|error| panic!("seed {seed}: {}: {}", error.pass, error.message));
            same(&executed(&module), "behind our passes");
        }
        if seed % 8 == 0 {
            let cross = &TARGETS[(seed / 8) as usize % 3];
            let level = ["-O0", "-O2", "-O1"][(seed / 24) as usize % 3];
            let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            command.args([level, "-fverify", "-o", "x", "ours.ll"]).arg(format!("--target={}", cross.name));
            run(folder, &mut command);
            let done = run(folder, Command::new(cross.qemu).arg("x"));
            same(&format!("{}0", String::from_utf8_lossy(&done.stdout)), cross.name);
        }
    }
}
