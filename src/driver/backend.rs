//! From IR to assembly: the seam between the driver and the targets.

use super::options::Target;
use super::session::{Failure, Session};
use crate::ir::{Body, Env, Module};

/// The assembly of one function, or why there is none.
pub fn compile_function(target: Target, env: &Env, body: &Body) -> Result<String, String> {
    let _ = (env, body);
    Err(format!("there is no code generator for {} yet; --run executes the program", target.row().names[0]))
}

/// The assembly of a program: its functions in order.
pub fn compile(session: &Session, module: &Module) -> Result<String, Failure> {
    let mut bodies: Vec<&Body> = module.bodies.iter().collect();
    let target = session.options.target;
    let pieces =
        session.workers.map(&mut bodies, || (), |(), _, body| compile_function(target, &module.env, body));
    pieces.into_iter().collect::<Result<String, String>>().map_err(Failure::System)
}
