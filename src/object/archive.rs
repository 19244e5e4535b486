//! Libraries (`ar` archives): which member defines which symbol, from the archive's own index.
//!
//! A member is found by the offset of its header. Nothing is read of members but what is asked for: O(index).

use object::read::archive::{ArchiveFile, ArchiveOffset};

/// How IR in text begins that is made as a file, as objects of `-flto` are.
pub const IR_BEGINS: &str = "; ModuleID";

/// An archive.
#[derive(Debug)]
pub struct Archive<'a> {
    bytes: &'a [u8],
    file: ArchiveFile<'a>,
}

/// What to say of an object that is IR in text (`-flto`), if these bytes are: where it is in an archive, no index can name
/// what it defines.
pub fn ir_in_text(bytes: &[u8]) -> Option<String> {
    let message = "IR in text (-flto): name it by itself, or make it with -ffat-lto-objects";
    bytes.starts_with(IR_BEGINS.as_bytes()).then(|| message.to_string())
}

/// True if the bytes open as an archive does, of either kind.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n")
}

impl<'a> Archive<'a> {
    /// Opens an archive.
    pub fn open(bytes: &'a [u8]) -> Result<Archive<'a>, String> {
        let file = ArchiveFile::parse(bytes).map_err(|error| error.to_string())?;
        if file.is_thin() {
            return Err("a thin archive: its members are files elsewhere; make it without 'T'".to_string());
        }
        Ok(Archive { bytes, file })
    }

    /// Every symbol that a member defines, with the offset of the member. An archive without an index must be
    /// empty.
    pub fn symbols(&self) -> Result<Vec<(&'a str, u64)>, String> {
        let Some(symbols) = self.file.symbols().map_err(|error| error.to_string())? else {
            return match self.file.members().next() {
                None => Ok(Vec::new()),
                Some(first) => {
                    let data = first.ok().and_then(|member| member.data(self.bytes).ok());
                    let no_index = || "has no index of symbols: run 'ranlib' on it".to_string();
                    Err(data.and_then(ir_in_text).unwrap_or_else(no_index))
                }
            };
        };
        let mut rows = Vec::new();
        for symbol in symbols {
            let symbol = symbol.map_err(|error| error.to_string())?;
            // What is no UTF-8 is no name that an object of ours could ask for.
            if let Ok(name) = std::str::from_utf8(symbol.name()) {
                rows.push((name, symbol.offset().0));
            }
        }
        Ok(rows)
    }

    /// A member's name and bytes.
    pub fn member(&self, offset: u64) -> Result<(String, &'a [u8]), String> {
        let member = self.file.member(ArchiveOffset(offset)).map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let bytes = member.data(self.bytes).map_err(|_| format!("the member {name} is cut off"))?;
        Ok((name, bytes))
    }
}
