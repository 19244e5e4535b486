//! Data of our own that are the address of something: of what need not be there, since every linker puts null in the place
//! of that in data, and code may load it from there (volatile, so that nothing has to know of addresses that may be null).
//! O(globals).

use super::module::Address;
use super::{Env, Global, GlobalId, Image, Linkage, Shape, Type};
use std::collections::BTreeMap;

impl Env {
    /// Of each declared datum or function that need not be there, what holds its address: one that is there already, as
    /// our own text has it, or a new one.
    pub fn holders(&mut self) -> BTreeMap<GlobalId, GlobalId> {
        let optional = self.globals.iter().filter(|(_, row)| row.optional).map(|(global, _)| global);
        let optional: Vec<GlobalId> = optional.collect();
        let mut holders = BTreeMap::new();
        if optional.is_empty() {
            return holders;
        }
        let is_holder = |row: &Global| {
            let is_ours = self.names.text(row.name).starts_with(".address:") && row.constant;
            is_ours && row.linkage == Linkage::Internal && row.image.runs.is_empty()
        };
        for (global, row) in self.globals.iter().filter(|(_, row)| is_holder(row)) {
            if let [Address { at: 0, to, offset: 0, from_start: None }] = *row.image.addresses {
                holders.insert(to, global);
            }
        }
        for of in optional {
            holders.entry(of).or_insert_with(|| self.hidden("address", of, true));
        }
        holders
    }

    /// Data of our own that are an address, under a name that nothing has.
    pub fn hidden(&mut self, what: &str, to: GlobalId, constant: bool) -> GlobalId {
        let mut number = self.globals.len();
        while self.names.find(&format!(".{what}:{number}")).is_some() {
            number += 1;
        }
        let name = self.names.intern(&format!(".{what}:{number}"));
        let mut image = Image::default();
        image.addresses.push(Address { at: 0, to, offset: 0, from_start: None });
        let shape = Shape::scalar(Type::Ptr);
        self.globals.push(Global::new(name, shape, constant, Linkage::Internal, image))
    }
}
