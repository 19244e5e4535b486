//! The table agrees with itself. (Its text and bits are in `edges`.)

use crate::isa::aarch64::{registers::MACHINE, rows::OPS};

#[test]
fn names_are_unique_and_inverses_mutual() {
    let mut names: Vec<&str> = OPS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    for (number, row) in OPS.iter().enumerate().filter(|(_, row)| row.inverse.0 != 0) {
        assert_eq!(MACHINE.row(row.inverse).inverse.0 as usize, number, "{}", row.name);
    }
}
