//! Stands for `dwarf` where the library is built without its feature `debuginfo`.

use super::debug::{Debug, Placed};
use super::module::Object;

/// Refuses.
pub fn append(_: &mut Object, _: &Debug, _: &Placed) -> Result<(), String> {
    Err("debug information: the feature 'debuginfo' is off".to_string())
}
