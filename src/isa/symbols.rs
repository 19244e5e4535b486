//! The names of functions and globals in objects and in assembly.
//!
//! What other objects see, or have, goes by its very name, in quotes where an assembler would take it for
//! something else (GNU as takes them everywhere). What is local may be called differently in assembly: inside
//! a file one name means one thing there, so a definition that has the name of a library function, of a
//! register or of another word that the assembler takes for itself gets a suffix that no SysY name can have,
//! and what IR in text may call things and the assembler does not take (blanks, quotes, names that look like
//! ours) goes by its number. O(names).

use super::{LIBRARY, LIBRARY_BASE, Target};
use crate::base::{Column, Handle, Name};
use crate::ir::{Env, FuncId, GlobalId, Linkage};
use crate::mir::print::Naming;

/// The names, by number.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Per function.
    pub funcs: Column<FuncId, String>,
    /// Per global.
    pub globals: Column<GlobalId, String>,
    /// Per alias.
    pub aliases: Vec<String>,
    /// By name: true if a declared function has it.
    pub declared: Vec<bool>,
    /// For an assembler.
    pub text: bool,
    /// Functions whose names begin with this are seen only here, whatever their linkage; empty for none.
    pub local_prefix: &'static str,
}

impl Naming for Symbols {
    fn func(&self, number: u32) -> &str {
        let ours = || self.funcs.get(FuncId::new(number as usize)).map_or("?", String::as_str);
        let library = number.checked_sub(LIBRARY_BASE).and_then(|k| LIBRARY.get(k as usize));
        library.copied().unwrap_or_else(ours)
    }

    fn global(&self, number: u32) -> &str {
        self.globals.get(GlobalId::new(number as usize)).map_or("?", String::as_str)
    }
}

/// What follows a name that is taken. The underscore keeps `v0` from being read as a vector register with
/// lanes.
const SUFFIX: &str = "_.";

/// Words that every assembler or linker here takes for itself.
const RESERVED: [&str; 3] = ["_global_offset_table_", "_dynamic", "_procedure_linkage_table_"];

/// The longest words that targets reserve, in bytes: names of more are not compared with them.
const LONGEST: usize = 12;

/// True if all words that a target reserves are compared with names; targets assert it.
pub const fn are_short(words: &[&str]) -> bool {
    let mut k = 0;
    while k < words.len() {
        if words[k].len() > LONGEST {
            return false;
        }
        k += 1;
    }
    true
}

/// Names everything in a module.
pub fn symbols(env: &Env, target: &Target, text: bool) -> Symbols {
    let mut declared = vec![false; env.names.len()];
    for (_, func) in env.funcs.iter().filter(|(_, func)| func.linkage == Linkage::Declared) {
        declared[func.name.index()] = true;
    }
    let mut symbols = Symbols { declared, text, ..Symbols::default() };
    extend(&mut symbols, env, target);
    symbols
}

/// Names what has come since: functions that are defined, and globals. O(names that are new).
pub fn extend(symbols: &mut Symbols, env: &Env, target: &Target) {
    let Symbols { funcs, globals, aliases, declared, text: for_text, .. } = symbols;
    let name_of = |name: Name, linkage: Linkage, kind: char, number: usize| {
        let text = env.names.text(name);
        let is_reserved = || {
            RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text))
                || text.len() <= LONGEST && (target.reserved)(&text.to_ascii_lowercase())
        };
        if linkage != Linkage::Internal {
            let is_bare = !*for_text || is_plain(text) && !is_reserved();
            return if is_bare { text.to_string() } else { quoted(text) };
        }
        if let Some(row) = text.strip_prefix(".lit.").filter(|row| row.bytes().all(|c| c.is_ascii_digit())) {
            // What bodies asked for has a number of its own, which stays when others go.
            return format!("{SUFFIX}l{row}");
        }
        if !is_plain(text) {
            return format!("{SUFFIX}{kind}{number}");
        }
        let is_declared = declared.get(name.index()).is_some_and(|&is| is);
        if is_declared || LIBRARY.contains(&text) || is_reserved() {
            format!("{text}{SUFFIX}")
        } else {
            text.to_string()
        }
    };
    let seen = env.aliases.iter().skip(aliases.len());
    let seen: Vec<String> = seen.map(|alias| name_of(alias.name, Linkage::External, 'a', 0)).collect();
    aliases.extend(seen);
    // What is kept is seen only here.
    let seen = |linkage: Linkage, kept: bool| if kept { Linkage::Internal } else { linkage };
    for (k, func) in env.funcs.iter().skip(funcs.len()) {
        funcs.push(name_of(func.name, seen(func.linkage, func.kept), 'f', k.index()));
    }
    for (k, global) in env.globals.iter().skip(globals.len()) {
        let named = match global.func.get() {
            Some(func) => funcs[func].clone(),
            None => name_of(global.name, seen(global.linkage, global.kept), 'g', k.index()),
        };
        globals.push(named);
    }
}

/// A name in an assembler's quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        out.extend(matches!(c, '"' | '\\').then_some('\\'));
        out.push(c);
    }
    out + "\""
}

/// True for what can be written as a symbol without quotes and is none of the names made here.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let fits = text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.'));
    starts && fits && !text.starts_with(SUFFIX) && !text.ends_with(SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Func, Global, Image, Shape, Type};
    use crate::isa::TARGETS;

    #[test]
    fn taken_names_get_a_suffix_and_declared_ones_keep_theirs() {
        let mut env = Env::default();
        let func = |env: &mut Env, name: &str, linkage| {
            let name = env.names.intern(name);
            env.funcs.push(Func::new(name, Type::Void, vec![], linkage))
        };
        let put = func(&mut env, "putint", Linkage::Declared);
        let own = func(&mut env, "memset", Linkage::Internal);
        let main = func(&mut env, "main", Linkage::External);
        let name = env.names.intern("SP");
        let shape = Shape::scalar(Type::I32);
        let global = Global::new(name, shape, false, Linkage::Internal, Image::default());
        let sp = env.globals.push(global);
        for target in TARGETS {
            let symbols = symbols(&env, target, true);
            assert_eq!(
                [&symbols.funcs[put], &symbols.funcs[own], &symbols.funcs[main], &symbols.globals[sp]],
                ["putint", "memset_.", "main", "SP_."]
            );
        }
    }

    #[test]
    fn what_others_see_goes_by_its_very_name_in_quotes_if_need_be() {
        let texts = ["main", "f1", "memcpy", "a$b", "a \"b\\"];
        let mut env = Env::default();
        for (text, linkage) in texts.iter().zip([Linkage::External, Linkage::Weak].iter().cycle()) {
            let name = env.names.intern(text);
            env.funcs.push(Func::new(name, Type::Void, vec![], *linkage));
        }
        let riscv = TARGETS[0];
        assert_eq!(symbols(&env, riscv, false).funcs.as_slice(), texts);
        let quoted = ["main", "\"f1\"", "memcpy", "\"a$b\"", "\"a \\\"b\\\\\""];
        assert_eq!(symbols(&env, riscv, true).funcs.as_slice(), quoted);
    }

    #[test]
    fn names_that_no_assembler_takes_go_by_number() {
        let mut env = Env::default();
        for name in ["a b", "x.1", "1a", "x\n.include", "_.g0", "memset_.", ""] {
            let (name, shape) = (env.names.intern(name), Shape::scalar(Type::I32));
            let (linkage, image) = (Linkage::Internal, Image::default());
            env.globals.push(Global::new(name, shape, false, linkage, image));
        }
        let mut symbols = symbols(&env, TARGETS[0], true);
        let expected = ["_.g0", "x.1", "_.g2", "_.g3", "_.g4", "_.g5", "_.g6"];
        assert_eq!(symbols.globals.as_slice(), expected);
        // What comes later is named as if it had been there.
        for name in [".lit.8", "y"] {
            let (name, shape) = (env.names.intern(name), Shape::scalar(Type::I32));
            let (linkage, image) = (Linkage::Internal, Image::default());
            env.globals.push(Global::new(name, shape, false, linkage, image));
        }
        extend(&mut symbols, &env, TARGETS[0]);
        assert_eq!(symbols.globals.as_slice()[..7], expected);
        assert_eq!(symbols.globals.as_slice()[7..], ["_.l8", "y"]);
    }
}
