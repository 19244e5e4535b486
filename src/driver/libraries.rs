//! The C library of a target, where systems and their cross tools put it: what a program needs whose objects
//! or archives call functions that neither they nor the built-in runtime have. No compiler is asked; a list
//! of usual folders is looked through, after the user's own (`-L`). A few dozen looks at the file system.

use crate::isa::Target;
use std::path::{Path, PathBuf};

/// The files of a C library, in the order of linking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CLibrary {
    /// In front of everything: where the program starts.
    pub first: Vec<PathBuf>,
    /// Behind the program's own objects and libraries.
    pub last: Vec<PathBuf>,
}

/// Files in front: those that must be there, and those that not every system has.
const FIRST: [(&str, bool); 3] = [("crt1.o", true), ("crti.o", true), ("crtbeginT.o", false)];
/// Files behind. Archives of one program are searched until nothing is missing, so their order does not
/// matter.
const LAST: [(&str, bool); 6] = [
    ("libm.a", false),
    ("libc.a", true),
    ("libgcc.a", true),
    ("libgcc_eh.a", false),
    ("crtend.o", false),
    ("crtn.o", true),
];

/// What the folders of cross tools are called.
pub fn triple(target: &Target) -> &'static str {
    target.gcc.trim_end_matches("-gcc")
}

/// The folders in which libraries for the target are looked for, the user's first.
pub fn folders(target: &Target, own: &[PathBuf]) -> Vec<PathBuf> {
    folders_below(Path::new("/"), target, own)
}

fn folders_below(root: &Path, target: &Target, own: &[PathBuf]) -> Vec<PathBuf> {
    let triple = triple(target);
    let usual = [
        format!("usr/{triple}/lib"),
        format!("usr/lib/{triple}"),
        format!("usr/{triple}/usr/lib"),
        format!("usr/{triple}/sys-root/usr/lib"),
    ];
    let mut found = own.to_vec();
    found.extend(usual.iter().map(|folder| root.join(folder)));
    for compilers in [format!("usr/lib/gcc-cross/{triple}"), format!("usr/lib/gcc/{triple}")] {
        found.extend(newest(&root.join(compilers)));
    }
    found
}

/// The folder of the newest version: names are versions, `9` is older than `12`.
fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let version = |path: &PathBuf| -> Option<Vec<u32>> {
        path.file_name()?.to_str()?.split('.').map(|part| part.parse().ok()).collect()
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| version(path).is_some()).max_by_key(version)
}

/// A file in the first folder that has it.
pub fn find(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The archive that `-lNAME` means.
pub fn library(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    find(&format!("lib{name}.a"), folders)
}

/// The C library. `Err` says what is missing and where it was looked for.
pub fn c_library(target: &Target, folders: &[PathBuf], pie: bool) -> Result<CLibrary, String> {
    let mut missing = Vec::new();
    let mut all = |rows: &[(&'static str, bool)]| {
        let mut files = Vec::new();
        for &(name, is_needed) in rows {
            // It relocates itself, where the C library can do that.
            let name = if pie && name == "crt1.o" { "rcrt1.o" } else { name };
            match find(name, folders) {
                Some(file) => files.push(file),
                None if is_needed => missing.push(name),
                None => {}
            }
        }
        files
    };
    let library = CLibrary { first: all(&FIRST), last: all(&LAST) };
    if missing.is_empty() {
        return Ok(library);
    }
    if missing == ["rcrt1.o"] {
        return Err(format!(
            "the C library for {} cannot be in a static program that is loaded anywhere: it has no rcrt1.o; \
             '-fuse-ld=gcc -pie' links with its shared form",
            target.name
        ));
    }
    let looked: Vec<String> = folders.iter().map(|folder| format!("  {}", folder.display())).collect();
    Err(format!(
        "a C library for {} is needed; {} not found in\n{}\ninstall it with 'apt install {}', or name its folder with -L",
        target.name,
        missing.join(", "),
        looked.join("\n"),
        target.packages.join(" ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::TARGETS;
    use std::fs;

    #[test]
    fn the_newest_version_and_the_users_own_folder_count() {
        let root = tempfile::tempdir().unwrap();
        let target = TARGETS[0];
        let triple = triple(target);
        for version in ["9", "12", "12.2.0", "4.8", "notes"] {
            let folder = root.path().join(format!("usr/lib/gcc-cross/{triple}/{version}"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("libgcc.a"), "").unwrap();
        }
        let own = root.path().join("own");
        fs::create_dir_all(&own).unwrap();
        let folders = folders_below(root.path(), target, std::slice::from_ref(&own));
        assert_eq!(folders.first(), Some(&own));
        assert!(find("libgcc.a", &folders).unwrap().ends_with("12.2.0/libgcc.a"));
        fs::write(own.join("libgcc.a"), "").unwrap();
        assert_eq!(library("gcc", &folders), Some(own.join("libgcc.a")));
        let complaint = c_library(target, &folders, false).unwrap_err();
        assert!(complaint.contains("crt1.o, crti.o, libc.a, crtn.o not found"), "{complaint}");
        for name in ["crt1.o", "crti.o", "crtn.o", "libc.a"] {
            fs::write(own.join(name), "").unwrap();
        }
        let complaint = c_library(target, &folders, true).unwrap_err();
        assert!(complaint.contains("it has no rcrt1.o"), "{complaint}");
        let found = c_library(target, &folders, false).unwrap();
        assert_eq!((found.first.len(), found.last.len()), (2, 3));
    }
}
