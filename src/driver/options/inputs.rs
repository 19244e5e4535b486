//! Words of the command line that are no options: what a file is, by the end of its name.

use super::Language;
use super::table::Draft;
use std::ffi::OsString;
use std::path::PathBuf;

/// Ends of names that say what sysyc does not read.
const OTHERS: [(&str, &str); 12] = [
    ("s", "assembly: sysyc has no assembler for text; make an object of it with GNU as or clang"),
    ("S", "assembly: sysyc has no assembler for text; make an object of it with GNU as or clang"),
    ("c", "C: make an object of it with a compiler of C, or say with -x sysy that it is SysY"),
    ("h", "a header of C: SysY includes nothing"),
    ("i", "C: make an object of it with a compiler of C, or say with -x sysy that it is SysY"),
    ("cc", "C++: make an object of it with a compiler of C++"),
    ("cpp", "C++: make an object of it with a compiler of C++"),
    ("cxx", "C++: make an object of it with a compiler of C++"),
    ("rs", "Rust: make a static library of it with rustc"),
    ("so", "a shared library: name an archive (.a), or its library with -l and -fuse-ld=gcc -pie"),
    ("bc", "LLVM's bitcode: llvm-dis makes text (.ll) of it"),
    ("d", "a rule for make: there is nothing to compile in it"),
];

/// A word of the command line that is no option.
pub(super) fn input(d: &mut Draft, word: OsString) -> Result<(), String> {
    let path = PathBuf::from(word);
    if super::is_linked(&path) && d.language.is_none() {
        d.options.link_inputs.push(path);
        return Ok(());
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    if let (Some((_, what)), None) = (OTHERS.iter().find(|row| Some(row.0) == extension), d.language) {
        return Err(format!("'{}' is {what}", path.display()));
    }
    let language = d.language.unwrap_or(match extension {
        Some("ll") => Language::Ir,
        Some("mir") => Language::Mir,
        _ => Language::Sysy,
    });
    d.options.inputs.push(super::Input { path, language });
    Ok(())
}
