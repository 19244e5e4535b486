//! The sources in folders and those below, for the formatter and the language server: in the order of their paths, without hidden
//! ones and what tools put there. O(files).

use std::path::PathBuf;

/// What sources of SysY end with.
const ENDINGS: [&str; 2] = ["sy", "sysy"];

/// Looks at so many files, and some more, at most.
pub fn sources(folders: &[PathBuf], most: usize) -> Vec<PathBuf> {
    let (mut waiting, mut found, mut seen) = (folders.to_vec(), Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
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
            break;
        }
    }
    found.sort();
    found
}
