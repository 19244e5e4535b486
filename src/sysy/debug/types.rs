//! Types of the source that a program in LLVM text was made from (`metadata`). They name each other: each has its row when it is
//! first named, and all are filled in one after the other.

use crate::base::Column;
use crate::ir::parse::debug_info::{Node, Nodes, plain};
use crate::object::debug::{Enumeration, FieldRow, Fields, Type, TypeRow};
use std::collections::BTreeMap;

/// Types, by node.
pub(super) struct Types<'a> {
    nodes: &'a Nodes<'a>,
    rows: Column<Type, TypeRow>,
    of: BTreeMap<u32, Type>,
    /// Those that are to be filled in.
    open: Vec<(Type, u32)>,
    void: Type,
}

impl<'a> Types<'a> {
    pub(super) fn new(nodes: &'a Nodes<'a>) -> Types<'a> {
        let mut rows = Column::new();
        let void = rows.push(TypeRow::Void);
        Types { nodes, rows, of: BTreeMap::new(), open: Vec::new(), void }
    }

    /// The type of a node; without one, nothing.
    pub(super) fn of(&mut self, node: Option<u32>) -> Type {
        let Some(mut number) = node else { return self.void };
        for _ in 0..16 {
            let node = self.nodes.get(number);
            if !matches!(node.word("tag"), "DW_TAG_restrict_type" | "DW_TAG_atomic_type") {
                break;
            }
            let Some(base) = node.node("baseType") else { return self.void };
            number = base;
        }
        if let Some(&ty) = self.of.get(&number) {
            return ty;
        }
        let ty = self.rows.push(TypeRow::Void);
        self.of.insert(number, ty);
        self.open.push((ty, number));
        ty
    }

    /// All of them.
    pub(super) fn finish(mut self) -> Column<Type, TypeRow> {
        while let Some((ty, number)) = self.open.pop() {
            let node = self.nodes.get(number);
            self.rows[ty] = match node.kind {
                "DIBasicType" => scalar(node),
                "DIDerivedType" => self.derived(node),
                "DICompositeType" => self.composite(node),
                "DISubroutineType" => {
                    let result = self.list(node, "types").first().copied().flatten();
                    TypeRow::Function(self.of(result))
                }
                _ => TypeRow::Void,
            };
        }
        self.rows
    }

    fn list(&self, node: &Node, name: &str) -> Vec<Option<u32>> {
        node.node(name).map_or(Vec::new(), |list| self.nodes.get(list).list().collect())
    }

    fn derived(&mut self, node: &Node) -> TypeRow {
        let base = self.of(node.node("baseType"));
        match node.word("tag") {
            "DW_TAG_const_type" => TypeRow::Const(base),
            "DW_TAG_volatile_type" => TypeRow::Volatile(base),
            "DW_TAG_typedef" => TypeRow::Named(plain(node.text("name")).into_owned(), base),
            _ => TypeRow::Pointer(base),
        }
    }

    fn composite(&mut self, node: &Node) -> TypeRow {
        let elements = self.list(node, "elements");
        let name = plain(node.text("name")).into_owned();
        let bytes = u32::try_from(node.int("size") / 8).unwrap_or(0);
        let is_declaration = node.has("flags", "DIFlagFwdDecl");
        let each = |nodes: &'a Nodes<'a>| {
            elements.iter().flatten().map(move |&element| nodes.get(element)).collect::<Vec<&Node>>()
        };
        match node.word("tag") {
            "DW_TAG_array_type" => {
                let ranges = each(self.nodes).into_iter().map(|range| range.int("count"));
                let lengths = ranges.map(|count| u32::try_from(count).unwrap_or(0)).collect();
                TypeRow::Array(self.of(node.node("baseType")), lengths)
            }
            "DW_TAG_enumeration_type" => {
                let values = each(self.nodes);
                let values =
                    values.iter().map(|row| (plain(row.text("name")).into_owned(), row.int("value")));
                let (values, of) = (values.collect(), self.of(node.node("baseType")));
                TypeRow::Enumeration(Box::new(Enumeration { name, bytes, of, is_declaration, values }))
            }
            tag => {
                let members = each(self.nodes);
                let members = members.iter().filter(|row| row.word("tag") == "DW_TAG_member");
                let mut fields = Vec::new();
                for row in members {
                    let is_narrow = row.has("flags", "DIFlagBitField");
                    fields.push(FieldRow {
                        name: plain(row.text("name")).into_owned(),
                        ty: self.of(row.node("baseType")),
                        at: u32::try_from(row.int("offset")).unwrap_or(0),
                        bits: u32::try_from(row.int("size")).ok().filter(|_| is_narrow),
                    });
                }
                let is_union = tag == "DW_TAG_union_type";
                TypeRow::Fields(Box::new(Fields { name, bytes, is_union, is_declaration, fields }))
            }
        }
    }
}

/// A type that is made of no other.
fn scalar(node: &Node) -> TypeRow {
    let (name, bytes) = (plain(node.text("name")), u32::try_from(node.int("size") / 8).unwrap_or(0));
    if (&*name, bytes) == ("float", 4) {
        return TypeRow::Float;
    }
    let encoding = match node.word("encoding") {
        "DW_ATE_address" => 1,
        "DW_ATE_boolean" => 2,
        "DW_ATE_complex_float" => 3,
        "DW_ATE_float" => 4,
        "DW_ATE_signed_char" => 6,
        "DW_ATE_unsigned" => 7,
        "DW_ATE_unsigned_char" => 8,
        "DW_ATE_UTF" => 16,
        _ => 5,
    };
    TypeRow::Scalar(name.into_owned(), encoding, bytes)
}
