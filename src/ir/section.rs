//! Which sections functions and data may ask for: a section has either of them, since memory that is executed is not
//! written to, and assemblers and linkers know the names of some. O(length of the name).

/// What is to lie in a section.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Functions.
    Code,
    /// Data.
    Data,
}

/// Sections of data by their names.
const DATA: [&str; 9] = [
    ".data",
    ".rodata",
    ".bss",
    ".sdata",
    ".sbss",
    ".srodata",
    ".init_array",
    ".fini_array",
    ".preinit_array",
];

/// Sections of which each thread has its own.
const THREAD: [&str; 2] = [".tdata", ".tbss"];

/// True if assemblers take the name as it is.
pub fn is_plain(name: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'$' | b'-');
    !name.is_empty() && name.bytes().all(plain)
}

/// Why this does not lie in a section of such a name, if it does not.
pub fn refusal(name: &str, content: Content) -> Option<&'static str> {
    let is_one =
        |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if THREAD.iter().any(|known| is_one(known)) {
        return Some("a section of this name has thread-local data");
    }
    match content {
        Content::Code if DATA.iter().any(|known| is_one(known)) => Some("a section of this name has data"),
        Content::Data if name == ".text" => Some("a section of this name has functions"),
        _ => None,
    }
}

/// Of a section that is to have both.
pub const BOTH: &str = "a section has functions or data, and not both";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_sections_have() {
        use Content::{Code, Data};
        let is_refused = |name, content| refusal(name, content).is_some();
        for name in [".data", ".data.rel.ro", ".bss.x", ".rodata", ".init_array.00007"] {
            assert!(is_refused(name, Code) && !is_refused(name, Data), "{name}");
        }
        for name in [".tdata", ".tbss.x"] {
            assert!(is_refused(name, Code) && is_refused(name, Data), "{name}");
        }
        for name in [".text.hot", ".init", ".datax", "x"] {
            assert!(!is_refused(name, Code) && !is_refused(name, Data), "{name}");
        }
        assert!(is_refused(".text", Data) && !is_refused(".text", Code));
        assert!(is_plain(".text.a-b_c$0") && !is_plain("") && !is_plain("a b") && !is_plain("a\0"));
    }
}
