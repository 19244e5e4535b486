//! Programs by the built-in linker: our object, and of the runtime library what it needs.

use super::runtime;
use super::session::{Failure, Session};
use crate::object::link::{Content, Input, LinkError, Options, link};
use crate::object::module::{Object, Place};

/// The bytes of a program.
pub fn program(session: &Session, name: String, object: Object<'static>) -> Result<Vec<u8>, Failure> {
    let target = session.options.target;
    let library = session.phase("runtime", || {
        let undefined = object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined);
        let names = undefined.map(|(symbol, _)| object.name(symbol)).chain(["_start"]);
        let runtime = runtime::build(target, session.options.features, names)?;
        runtime::object(&runtime, target)
    })?;
    let input = |name, object| Input { name, content: Content::Object(Box::new(object)) };
    let inputs = vec![input(name, object), input("the runtime library".to_string(), library)];
    session.phase("link", || link(inputs, &Options::new(target.elf))).map_err(failure)
}

/// All that is wrong, a line each.
fn failure(errors: Vec<LinkError>) -> Failure {
    let lines: Vec<String> = errors.iter().map(LinkError::to_string).collect();
    Failure::System(lines.join("\n"))
}
