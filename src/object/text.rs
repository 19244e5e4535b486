//! Assembly text of data: sections, alignment, images as runs of words with zeros between, sizes and types.
//!
//! Directives are the ones that GNU as and clang both take for every target: `%object` and not `@object`,
//! `.zero`, `.4byte`, `.byte`, `.ascii`. An object is O(words of its image), whatever its size.

use super::code::Target;
use super::data::{Address, DataSection, Datum, is_written, named, section};
use super::module::{Binding, STV_HIDDEN, array};
use std::fmt::Write;

/// What starts each section.
const DIRECTIVES: [&str; 6] = [
    "\t.section .rodata\n",
    "\t.section .data.rel.ro,\"aw\",%progbits\n",
    "\t.data\n",
    "\t.bss\n",
    "\t.section .tdata,\"awT\",%progbits\n",
    "\t.section .tbss,\"awT\",%nobits\n",
];

/// Appends all data, section after section, in the given order within each; `name` of what they lead to, and how many
/// bytes addresses have.
pub fn data<'a>(
    out: &mut String,
    data: &[Datum],
    name: impl Fn(Target) -> &'a str + Copy,
    pointer_bytes: u32,
) {
    for datum in data.iter().filter(|datum| !datum.is_defined && datum.func.is_none()) {
        if datum.binding == Binding::Weak {
            binding(out, datum.name, datum.binding);
        }
    }
    for datum in data.iter().filter(|datum| datum.visibility != 0 && datum.func.is_none()) {
        let word = if datum.visibility == STV_HIDDEN { "hidden" } else { "protected" };
        let _ = writeln!(out, "\t.{word} {}", datum.name);
    }
    for which in DataSection::ALL {
        let is_member =
            |datum: &&Datum| datum.is_placed() && datum.section.is_none() && section(datum) == which;
        let mut members = data.iter().filter(is_member).peekable();
        if members.peek().is_some() {
            out.push_str(DIRECTIVES[which as usize]);
        }
        members.for_each(|datum| object(out, datum, which, (name, pointer_bytes)));
    }
    for Datum { name, bytes, align, .. } in data.iter().filter(|datum| datum.common) {
        let _ = writeln!(out, "\t.comm {name},{bytes},{align}");
    }
    for (section, members) in named(data) {
        let flags = if is_written(data, &members) { "aw" } else { "a" };
        let kind = array(section).map_or("progbits", |(name, _)| name);
        let _ = writeln!(out, "\t.section {section},\"{flags}\",%{kind}");
        members.iter().for_each(|&k| object(out, &data[k], DataSection::Data, (name, pointer_bytes)));
    }
}

/// What ends a file: the stack need not be executable.
pub const TRAILER: &str = "\t.section .note.GNU-stack,\"\",%progbits\n";

fn object<'a>(
    out: &mut String,
    datum: &Datum,
    section: DataSection,
    (name_of, pointer_bytes): (impl Fn(Target) -> &'a str, u32),
) {
    let (name, bytes) = (datum.name, datum.bytes);
    let _ = writeln!(out, "\t.p2align {}", datum.align.trailing_zeros());
    binding(out, name, datum.binding);
    let _ = write!(out, "\t.type {name}, %object\n\t.size {name}, {bytes}\n{name}:\n");
    let mut at = 0;
    if !section.is_zeros() {
        let mut addresses = datum.addresses.iter().peekable();
        let mut put = |out: &mut String, at: &mut u64, before: u64| {
            while let Some(&Address { at: place, to, offset, from_start }) =
                addresses.next_if(|row| row.at < before)
            {
                zero(out, place - *at);
                let bytes = from_start.map_or(pointer_bytes, u32::from);
                let _ = write!(out, "\t.{bytes}byte {}", name_of(to));
                let _ = if offset == 0 { Ok(()) } else { write!(out, "{offset:+}") };
                let _ = if from_start.is_some() { writeln!(out, "-{name}") } else { writeln!(out) };
                *at = place + u64::from(bytes);
            }
        };
        for &(first, words) in &datum.runs {
            let start = u64::from(first) * u64::from(datum.scalar);
            put(out, &mut at, start);
            zero(out, start - at);
            at = start + words.len() as u64 * u64::from(datum.scalar);
            match datum.scalar {
                1 => string(out, words),
                scalar => numbers(out, words, scalar),
            }
        }
        put(out, &mut at, u64::MAX);
    }
    zero(out, bytes.saturating_sub(at));
}

/// The binding of a symbol, if it is not local.
pub fn binding(out: &mut String, name: &str, binding: Binding) {
    let _ = match binding {
        Binding::Local => Ok(()),
        Binding::Global => writeln!(out, "\t.globl {name}"),
        Binding::Weak => writeln!(out, "\t.weak {name}"),
    };
}

fn zero(out: &mut String, bytes: u64) {
    if bytes != 0 {
        let _ = writeln!(out, "\t.zero {bytes}");
    }
}

/// Words of 2 or 4 bytes, eight a line; long stretches of one word (zeros mostly) as a fill.
fn numbers(out: &mut String, words: &[u32], bytes: u32) {
    let mut k = 0;
    while k < words.len() {
        let same = words[k..].iter().take_while(|&&word| word == words[k]).count();
        if same >= 8 {
            match words[k] {
                0 => zero(out, u64::from(bytes) * same as u64),
                word => {
                    let _ = writeln!(out, "\t.fill {same}, {bytes}, {word}");
                }
            }
            k += same;
            continue;
        }
        let line = &words[k..words.len().min(k + 8)];
        let _ = write!(out, "\t.{bytes}byte ");
        for (j, &word) in line.iter().enumerate() {
            let word = if bytes == 2 { i32::from(word as i16) } else { word as i32 };
            let _ = write!(out, "{}{word}", if j == 0 { "" } else { ", " });
        }
        out.push('\n');
        k += line.len();
    }
}

/// Bytes as `.ascii` with octal escapes, up to 80 a line.
fn string(out: &mut String, words: &[u32]) {
    for line in words.chunks(80) {
        out.push_str("\t.ascii \"");
        for &word in line {
            match word as u8 {
                byte @ (b'"' | b'\\') => {
                    out.push('\\');
                    out.push(char::from(byte));
                }
                byte @ b' '..=b'~' => out.push(char::from(byte)),
                byte => {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
        }
        out.push_str("\"\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(constant: bool, bytes: u64, scalar: u32, runs: &[(u32, &[u32])]) -> String {
        let mut out = String::new();
        data(
            &mut out,
            &[Datum {
                name: "g",
                binding: Binding::Local,
                visibility: 0,
                is_defined: true,
                align: if bytes >= 16 { 16 } else { 4 },
                constant,
                bytes,
                scalar,
                runs: runs.to_vec(),
                addresses: Vec::new(),
                func: None,
                section: None,
                thread: false,
                common: false,
            }],
            |_| "",
            8,
        );
        out
    }

    #[test]
    fn runs_have_zeros_around_them() {
        let out = text(false, 40, 4, &[(1, &[7, u32::MAX]), (5, &[9])]);
        let image = "g:\n\t.zero 4\n\t.4byte 7, -1\n\t.zero 8\n\t.4byte 9\n\t.zero 16\n";
        assert_eq!(out, format!("\t.data\n\t.p2align 4\n\t.type g, %object\n\t.size g, 40\n{image}"));
    }

    #[test]
    fn zeros_take_no_room_unless_constant() {
        assert!(
            text(false, 1 << 30, 4, &[(0, &[0, 0])])
                .ends_with("\t.size g, 1073741824\ng:\n\t.zero 1073741824\n")
        );
        assert!(text(false, 4, 4, &[]).starts_with("\t.bss\n\t.p2align 2\n"));
        assert!(text(true, 4, 4, &[]).starts_with("\t.section .rodata\n"));
    }

    #[test]
    fn strings_escape_what_is_not_plain() {
        let words: Vec<u32> = b"a\"\\\n\xe4\0".iter().map(|&byte| u32::from(byte)).collect();
        assert!(text(true, 6, 1, &[(0, &words)]).ends_with("g:\n\t.ascii \"a\\\"\\\\\\012\\344\\000\"\n"));
    }

    #[test]
    fn long_runs_of_one_word_are_filled() {
        let out = text(true, 80, 4, &[(0, &[5; 20])]);
        assert!(out.ends_with("g:\n\t.fill 20, 4, 5\n"), "{out}");
    }
}
