//! In the place of `metadata` where text is not read: there are no nodes.

use super::Told;
use crate::backend::code::Homes;
use crate::base::Column;
use crate::ir::{Env, FuncId};
use crate::object::assemble;
use crate::object::debug::Debug;
use std::convert::Infallible;
use std::marker::PhantomData;

/// None.
#[derive(Debug)]
pub struct Nodes<'a>(Infallible, PhantomData<&'a str>);

/// None.
pub(super) fn nodes(_: &str) -> Option<Nodes<'_>> {
    None
}

/// Nothing asks for it.
pub(super) fn program<'a>(
    _: &'a Env,
    _: &'a str,
    nodes: &'a Nodes<'a>,
    _: &'a Told,
    _: &[assemble::Function],
    _: &Column<FuncId, Homes>,
) -> Debug<'a> {
    match nodes.0 {}
}
