//! Assembling and linking with the cross tools of the system, in a folder of their own. The runtime library is in this
//! binary and is compiled along.

use super::output;
use super::session::{Failure, Session};
use crate::target::Target;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of the runtime library.
const RUNTIME: [(&str, &str); 2] =
    [("sylib.c", include_str!("../../runtime/sylib.c")), ("sylib.h", include_str!("../../runtime/sylib.h"))];

/// A program, from its assembly.
pub fn link(session: &Session, assembly: &str) -> Result<Vec<u8>, Failure> {
    session.phase("link", || build(session, assembly, true))
}

/// An object file, from the assembly.
pub fn assemble(session: &Session, assembly: &str) -> Result<Vec<u8>, Failure> {
    session.phase("assemble", || build(session, assembly, false))
}

fn system(what: &str, error: &std::io::Error) -> Failure {
    Failure::System(format!("{what}: {error}"))
}

fn build(session: &Session, assembly: &str, is_program: bool) -> Result<Vec<u8>, Failure> {
    let gcc = find_gcc(session.options.target, &std::env::var_os("PATH").unwrap_or_default())?;
    let folder = tempfile::tempdir().map_err(|error| system("cannot make a temporary folder", &error))?;
    let place = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| {
        std::fs::write(place(name), text).map_err(|error| system("cannot write a temporary file", &error))
    };
    write("program.s", assembly)?;
    let mut command = Command::new(&gcc);
    if is_program {
        RUNTIME.iter().try_for_each(|(name, text)| write(name, text))?;
        command.args(["-O2", "-static"]).arg(place("program.s")).arg(place("sylib.c"));
    } else {
        command.arg("-c").arg(place("program.s"));
    }
    command.arg("-o").arg(place("out"));
    run(session, &mut command)?;
    std::fs::read(place("out")).map_err(|error| system("cannot read what the linker wrote", &error))
}

/// Finds the cross compiler in the folders of `path`.
fn find_gcc(target: &Target, path: &OsStr) -> Result<PathBuf, Failure> {
    let name = target.gcc;
    let found = std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| {
        Failure::System(format!(
            "'{name}' is needed to assemble and link, and was not found\n  \
             install it with 'apt install {}', or make assembly with -S",
            target.packages.join(" ")
        ))
    })
}

fn run(session: &Session, command: &mut Command) -> Result<(), Failure> {
    if session.options.verbose {
        let words: Vec<_> = std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(OsStr::to_string_lossy)
            .collect();
        output::to_stderr(&format!("{}\n", words.join(" ")));
    }
    let program = command.get_program().to_owned();
    let shown = Path::new(&program).display();
    let done = command.output().map_err(|error| system(&format!("cannot run '{shown}'"), &error))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(Failure::System(format!("'{shown}' failed\n{said}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::options;
    use crate::target::TARGETS;

    fn session(line: &str) -> Session {
        Session::new(options::parse(line.split(' ').map(Into::into)).unwrap())
    }

    fn text(failure: Result<impl Sized, Failure>) -> String {
        match failure {
            Err(Failure::System(text)) => text,
            _ => panic!("no complaint about the system"),
        }
    }

    #[test]
    fn a_missing_cross_compiler_is_named_with_its_package() {
        let empty = tempfile::tempdir().unwrap();
        for target in TARGETS {
            let said = text(find_gcc(target, empty.path().as_os_str()));
            assert!(said.contains(target.gcc) && said.contains(target.packages[0]), "{said}");
            std::fs::write(empty.path().join(target.gcc), "").unwrap();
            assert_eq!(find_gcc(target, empty.path().as_os_str()).unwrap(), empty.path().join(target.gcc));
        }
    }

    #[test]
    fn what_the_tools_say_is_passed_on() {
        let s = session("sysyc t.sy");
        let said = text(run(&s, Command::new("sh").args(["-c", "echo one two >&2; exit 3"])));
        assert!(said.contains("'sh' failed") && said.contains("one two"), "{said}");
        assert!(text(run(&s, &mut Command::new("/no/such/tool"))).contains("/no/such/tool"));
        assert!(run(&s, &mut Command::new("true")).is_ok());
    }
}
