//! Nodes of debug metadata in a text (`!DILocation`, `!DISubprogram`, ...), for debuggers: read once all code is made, and only
//! where they are told. Compilers write a node a line; one that is written in another way is not seen. O(bytes of nodes).
//!
//! Instructions keep where they stand in the text as their place, so nothing of this is carried along: what stands behind an
//! instruction is looked at where it stands.

use super::lexer::{Lexer, Token, unescape};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a field is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// `!12`.
    Node(u32),
    /// A number.
    Int(i64),
    /// A text, escapes and all.
    Text(&'a str),
    /// `true`, `DW_TAG_member`; several with `|` between as they are written.
    Word(&'a str),
    /// Something else, as it is written.
    Other(&'a str),
}

/// A node: its kind, which is nothing for `!{...}`, and its fields, whose names are nothing there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node<'a> {
    /// `DILocation`.
    pub kind: &'a str,
    /// In the order of the text.
    pub fields: Vec<(&'a str, Field<'a>)>,
}

/// The nodes of a text.
#[derive(Clone, Debug, Default)]
pub struct Nodes<'a> {
    /// By ascending number.
    rows: Vec<(u32, Node<'a>)>,
    /// Lists with names: `llvm.dbg.cu`.
    named: Vec<(&'a str, Node<'a>)>,
}

static NONE: Node = Node { kind: "", fields: Vec::new() };

impl<'a> Node<'a> {
    /// A field by its name.
    pub fn get(&self, name: &str) -> Option<Field<'a>> {
        self.fields.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The node that a field names.
    pub fn node(&self, name: &str) -> Option<u32> {
        match self.get(name)? {
            Field::Node(number) => Some(number),
            _ => None,
        }
    }

    /// A number, 0 if it is not there.
    pub fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(Field::Int(number)) => number,
            _ => 0,
        }
    }

    /// A text, empty if it is not there.
    pub fn text(&self, name: &str) -> &'a str {
        match self.get(name) {
            Some(Field::Text(text)) => text,
            _ => "",
        }
    }

    /// A word, empty if it is not there.
    pub fn word(&self, name: &str) -> &'a str {
        match self.get(name) {
            Some(Field::Word(word)) => word,
            _ => "",
        }
    }

    /// True if a word is among those of a field.
    pub fn has(&self, name: &str, word: &str) -> bool {
        self.word(name).split('|').any(|one| one.trim() == word)
    }

    /// The nodes of a list.
    pub fn list(&self) -> impl Iterator<Item = Option<u32>> {
        self.fields.iter().map(|row| match row.1 {
            Field::Node(number) => Some(number),
            _ => None,
        })
    }
}

/// A text without its escapes.
pub fn plain(raw: &str) -> Cow<'_, str> {
    match raw.contains('\\') {
        true => Cow::Owned(String::from_utf8_lossy(&unescape(raw)).into_owned()),
        false => Cow::Borrowed(raw),
    }
}

/// The operand of an operator in an expression: LLVM writes 64 bits without a sign, also those of what has one.
pub fn operand(word: &str) -> Option<i64> {
    word.parse::<u64>().map(|number| number as i64).or_else(|_| word.parse()).ok()
}

impl<'a> Nodes<'a> {
    /// Those of a text; none if it has no compile unit.
    pub fn of(text: &'a str) -> Option<Nodes<'a>> {
        let mut nodes = Nodes::default();
        for line in text.split('\n').filter(|line| line.starts_with('!')) {
            let Some((name, value)) = line[1..].split_once(" = ") else { continue };
            let Some(node) = node(value) else { continue };
            match name.parse() {
                Ok(number) => nodes.rows.push((number, node)),
                Err(_) => nodes.named.push((name, node)),
            }
        }
        nodes.rows.sort_by_key(|row| row.0);
        let has_unit = nodes.named("llvm.dbg.cu").list().next().is_some();
        has_unit.then_some(nodes)
    }

    /// The node of a number; an empty one if there is none.
    pub fn get(&self, number: u32) -> &Node<'a> {
        let at = self.rows.binary_search_by_key(&number, |row| row.0).ok();
        at.and_then(|k| self.rows.get(k)).map_or(&NONE, |row| &row.1)
    }

    /// A list by its name.
    pub fn named(&self, name: &str) -> &Node<'a> {
        self.named.iter().find(|row| row.0 == name).map_or(&NONE, |row| &row.1)
    }

    /// All nodes of a kind, by ascending number.
    pub fn of_kind(&self, kind: &'static str) -> impl Iterator<Item = (u32, &Node<'a>)> {
        self.rows.iter().filter(move |row| row.1.kind == kind).map(|row| (row.0, &row.1))
    }
}

/// A node as it is written behind `=`.
pub(super) fn node(text: &str) -> Option<Node<'_>> {
    let mut lexer = Lexer { text, at: 0 };
    let mut token = lexer.next().ok()?.0;
    if token == Token::Word("distinct") {
        token = lexer.next().ok()?.0;
    }
    let Token::Meta(kind) = token else { return None };
    let mut node = Node { kind, fields: Vec::new() };
    lexer.next().ok()?;
    let mut name = "";
    // Where the last words begin.
    let mut words = 0;
    loop {
        let (token, start) = lexer.next().ok()?;
        match token {
            Token::Label(text) => {
                name = text.raw;
                continue;
            }
            Token::Mark(b',') => {
                name = "";
                continue;
            }
            Token::Mark(b')' | b'}') | Token::End => return Some(node),
            _ => {}
        }
        let value = match token {
            Token::Meta("") => match lexer.next().ok()?.0 {
                Token::String(text) => Field::Text(text),
                _ => Field::Other(rest(&mut lexer, start)?),
            },
            Token::Meta(number) => match number.parse() {
                Ok(number) => Field::Node(number),
                Err(_) => {
                    lexer.next().ok()?;
                    Field::Other(rest(&mut lexer, start)?)
                }
            },
            Token::Int(text) => Field::Int(text.parse::<i128>().ok()? as i64),
            Token::String(text) => Field::Text(text),
            Token::Word(word) => Field::Word(word),
            // Further words.
            _ => continue,
        };
        match node.fields.last_mut() {
            Some((last, Field::Word(all))) if *last == name && !name.is_empty() => {
                *all = text.get(words..lexer.at)?;
            }
            _ => {
                words = start;
                node.fields.push((name, value));
            }
        }
    }
}

/// To the bracket that closes what has been opened; the text from a place on.
fn rest<'a>(lexer: &mut Lexer<'a>, start: usize) -> Option<&'a str> {
    let mut depth = 1;
    while depth > 0 {
        match lexer.next().ok()?.0 {
            Token::Mark(b'(' | b'{' | b'[') => depth += 1,
            Token::Mark(b')' | b'}' | b']') => depth -= 1,
            Token::End => return None,
            _ => {}
        }
    }
    lexer.text.get(start..lexer.at)
}

/// The number behind a `!dbg !` of the instruction, function or global that begins there.
pub fn attached(text: &str, at: u32) -> Option<u32> {
    const KIND: &str = "!dbg !";
    let rest = text.get(at as usize..)?;
    let end = rest.find('\n').unwrap_or(rest.len());
    let mut line = &rest[..end];
    if line.ends_with('[') {
        // The entries of a switch.
        line = &rest[..rest.find("\n  ]").map_or(end, |close| {
            let behind = close + 4;
            rest[behind..].find('\n').map_or(rest.len(), |end| behind + end)
        })];
    }
    number(line.rsplit_once(KIND)?.1)
}

/// The number that a text begins with.
fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

/// What `#dbg_value`, `#dbg_declare`, or a call of an intrinsic that is one of these, says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The value is the variable's, and not where it is.
    pub is_value: bool,
    /// As it is written, with its type: `i32 %5`.
    pub value: &'a str,
    /// The variable.
    pub variable: u32,
    /// The operators that are applied to the value, as they are written.
    pub expression: &'a str,
    /// The place, by which the variable is of an inlined call or not.
    pub location: u32,
    /// Of an assignment to memory, whose place is `value`: what is assigned, as it is written, and the number of the stores that
    /// do it, as far as they are still there.
    pub assigned: Option<(&'a str, u32)>,
}

/// The numbers of assignments that instructions of a text, which ends at a brace in the first column, are stores of.
pub(super) fn stores(text: &str) -> BTreeSet<u32> {
    let end = text.find("\n}").unwrap_or(text.len());
    text[..end].split("!DIAssignID !").skip(1).filter_map(number).collect()
}

/// The record that begins there.
pub fn record(text: &str, at: u32) -> Option<Record<'_>> {
    let rest = text.get(at as usize..)?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let (head, inside) = line.split_once('(')?;
    let kind = head.rsplit(['_', '.', '@', '#']).next()?;
    let mut parts: Vec<&str> = Vec::new();
    let (mut depth, mut start, mut end) = (0usize, 0, inside.len());
    for (k, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'{' | b'[' | b'<' => depth += 1,
            b')' if depth == 0 => {
                end = k;
                break;
            }
            b')' | b'}' | b']' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(inside[start..k].trim());
                start = k + 1;
            }
            _ => {}
        }
    }
    parts.push(inside.get(start..end)?.trim());
    let plain = |part: &&'_ str| -> usize { part.strip_prefix("metadata ").map_or(0, |_| 9) };
    parts.iter_mut().for_each(|part| *part = &part[plain(part)..]);
    let is_record = head.starts_with('#');
    let value = match kind {
        "assign" => parts.get(4)?,
        _ => parts.first()?,
    };
    let place = match kind {
        "assign" if is_record => number(parts.get(6)?.strip_prefix('!')?),
        "value" | "declare" if is_record => number(parts.get(3)?.strip_prefix('!')?),
        "value" | "declare" | "assign" => attached(text, at),
        _ => None,
    };
    Some(Record {
        is_value: kind == "value",
        value,
        variable: number(parts.get(1)?.strip_prefix('!')?)?,
        expression: parts.get(2)?,
        location: place?,
        assigned: match kind {
            "assign" => Some((parts.first()?, number(parts.get(3)?.strip_prefix('!')?)?)),
            _ => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_the_fields_that_are_written() {
        let text = "!llvm.dbg.cu = !{!0}\n\
            !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: false)\n\
            !1 = !DIFile(filename: \"a b.c\", directory: \"/x\")\n\
            !3 = !DISubprogram(name: \"f\", line: 7, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !0)\n\
            !4 = !{!3, null}\n\
            !5 = !DIGlobalVariableExpression(var: !9, expr: !DIExpression(DW_OP_deref))\n";
        let nodes = Nodes::of(text).unwrap();
        assert_eq!(nodes.named("llvm.dbg.cu").list().collect::<Vec<_>>(), [Some(0)]);
        let f = nodes.get(3);
        assert_eq!(
            (f.kind, f.text("name"), f.int("line"), f.node("unit")),
            ("DISubprogram", "f", 7, Some(0))
        );
        assert_eq!((f.word("spFlags"), f.int("none")), ("DISPFlagLocalToUnit | DISPFlagDefinition", 0));
        let has = |word: &str| f.has("spFlags", word);
        assert!(has("DISPFlagLocalToUnit") && has("DISPFlagDefinition") && !has("DISPFlagLocal"));
        assert_eq!(nodes.get(1).text("filename"), "a b.c");
        assert_eq!(nodes.get(4).list().collect::<Vec<_>>(), [Some(3), None]);
        assert_eq!(nodes.get(5).get("expr"), Some(Field::Other("!DIExpression(DW_OP_deref)")));
        assert!(Nodes::of("!0 = !{}\n").is_none());
    }

    #[test]
    fn operands_have_64_bits_with_a_sign_or_without() {
        let of = |text: &str| operand(text);
        assert_eq!([of("7"), of("-2"), of("18446744073709551615")], [Some(7), Some(-2), Some(-1)]);
        assert_eq!([of("18446744073709551616"), of("x"), of("")], [None; 3]);
    }

    #[test]
    fn records_are_read_in_both_forms() {
        let text = "#dbg_value(i32 %5, !12, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !40)\n\
            tail call void @llvm.dbg.declare(metadata ptr %x, metadata !12, metadata !DIExpression()), !dbg !40\n\
            #dbg_assign(i1 undef, !12, !DIExpression(), !78, ptr %1, !DIExpression(), !79)\n\
            switch i32 %a, label %b [\n    i32 1, label %c\n  ], !dbg !7\nret void\n";
        let of = |what: &str| record(text, text.find(what).unwrap() as u32).unwrap();
        let value = of("#dbg_value");
        assert_eq!((value.is_value, value.value, value.variable, value.location), (true, "i32 %5", 12, 40));
        assert_eq!(value.expression, "!DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value)");
        let declared = of("tail call");
        assert_eq!((declared.is_value, declared.value, declared.location), (false, "ptr %x", 40));
        let assigned = of("#dbg_assign");
        assert_eq!((assigned.is_value, assigned.value, assigned.location), (false, "ptr %1", 79));
        assert_eq!((assigned.assigned, declared.assigned), (Some(("i1 undef", 78)), None));
        let of = |what: &str| attached(text, text.find(what).unwrap() as u32);
        assert_eq!((of("switch"), of("ret void")), (Some(7), None));
    }
}
