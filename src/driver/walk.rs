//! The sources in folders and those below, for the formatter and the language server: in the order of their paths, without hidden
//! ones and what tools put there. O(files).

use crate::source::file::why;
use std::path::PathBuf;

/// What sources of SysY end with.
const ENDINGS: [&str; 2] = ["sy", "sysy"];

/// Looks at so many files, and some more, at most. Behind what is found stands why some may be missing: the first folder that
/// cannot be read, or the number.
pub fn sources(folders: &[PathBuf], most: usize) -> (Vec<PathBuf>, Option<String>) {
    let (mut waiting, mut found, mut seen) = (folders.to_vec(), Vec::new(), 0);
    let mut missing = None;
    while let Some(folder) = waiting.pop() {
        let unread = |error| format!("cannot read the folder '{}': {}", folder.display(), why(&error));
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                missing.get_or_insert_with(|| unread(error));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    missing.get_or_insert_with(|| unread(error));
                    break;
                }
            };
            seen += 1;
            let (path, file_name) = (entry.path(), entry.file_name());
            let is_apart = file_name.as_encoded_bytes().starts_with(b".")
                || file_name == "node_modules"
                || file_name == "target";
            let is_source =
                || path.extension().is_some_and(|ending| ENDINGS.iter().any(|one| ending == *one));
            match entry.file_type() {
                _ if is_apart => {}
                // Links are not followed: they may lead back.
                Ok(kind) if kind.is_dir() => waiting.push(path),
                Ok(_) if is_source() => found.push(path),
                _ => {}
            }
        }
        if seen > most {
            missing.get_or_insert_with(|| format!("there are more than {most} files"));
            break;
        }
    }
    found.sort();
    (found, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_looked_at_is_told() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path();
        for name in ["b.sy", "a.sysy", "c.txt", ".hidden.sy"] {
            std::fs::write(path.join(name), "").expect("a file can be written");
        }
        std::fs::create_dir(path.join("inner")).expect("a folder can be made");
        std::fs::write(path.join("inner/c.sy"), "").expect("a file can be written");
        let want = ["a.sysy", "b.sy", "inner/c.sy"].map(|name| path.join(name)).to_vec();
        assert_eq!(sources(&[path.to_path_buf()], 6), (want.clone(), None));
        let missing = sources(&[path.to_path_buf()], 4).1;
        assert_eq!(missing.as_deref(), Some("there are more than 4 files"));
        let (found, missing) = sources(&[path.join("nowhere"), path.to_path_buf()], 100);
        assert_eq!(found, want);
        assert!(missing.is_some_and(|text| text.starts_with("cannot read the folder '")), "{found:?}");
    }
}
