//! Linking with the cross tools of the system, in a folder of their own. The C form of the runtime library is
//! compiled along.

use super::libraries::{self, triple};
use super::options::{Linked, Options};
use super::output;
use super::session::{Failure, Session};
use crate::isa::Target;
use crate::source::Severity;
use crate::source::file::why;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of the runtime library.
const RUNTIME: [(&str, &str); 2] =
    [("sylib.c", include_str!("../../runtime/sylib.c")), ("sylib.h", include_str!("../../runtime/sylib.h"))];

/// A program, from our object files, in order, and the objects, archives and libraries of the command line.
pub fn link(session: &Session, objects: &[Vec<u8>]) -> Result<Vec<u8>, Failure> {
    session.phase("link", || build(session, objects))
}

fn system(what: &str, error: &std::io::Error) -> Failure {
    Failure::System(format!("{what}: {}", why(error)))
}

fn build(session: &Session, objects: &[Vec<u8>]) -> Result<Vec<u8>, Failure> {
    let options = &session.options;
    let driver = find_driver(options, &std::env::var_os("PATH").unwrap_or_default())?;
    let folder = tempfile::tempdir().map_err(|error| system("cannot make a temporary folder", &error))?;
    let place = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8]| {
        output::write(&place(name), bytes, false)
            .map_err(|error| system("cannot write a temporary file", &error))
    };
    let names: Vec<String> = (0..objects.len()).map(|number| format!("program{number}.o")).collect();
    names.iter().zip(objects).try_for_each(|(name, bytes)| write(name, bytes))?;
    RUNTIME.iter().try_for_each(|(name, text)| write(name, text.as_bytes()))?;
    // By itself: what gcc calls its own temporary files would end up in the symbol table of the program.
    let mut compile = driver.command();
    if options.linked != Linked::Fixed {
        compile.arg("-fPIC");
    }
    run(session, compile.args(["-O2", "-c"]).arg(place("sylib.c")).arg("-o").arg(place("sylib.o")))?;
    let mut command = driver.command();
    if let Some(Linker { name, file }) = &driver.linker {
        if let Some(file) = file {
            give_name(file, &place(&format!("ld.{name}")))?;
            command.arg("-B").arg(folder.path());
        }
        command.arg(format!("-fuse-ld={name}"));
    }
    if options.strip {
        command.arg("-s");
    }
    command.args(match options.linked {
        Linked::Fixed if options.dynamic => &["-no-pie"][..],
        Linked::Fixed => &["-static"],
        Linked::Anywhere { alone: true } => &["-static-pie"],
        Linked::Anywhere { alone: false } => &["-pie"],
        Linked::Library => &["-shared"],
    });
    if options.dynamic {
        command.arg("-rdynamic");
    }
    command.arg("-o").arg(place("program"));
    command.args(names.iter().map(|name| place(name))).args(&options.link_inputs);
    if options.link_inputs.is_empty() && options.libraries.is_empty() && options.linked != Linked::Library {
        command.arg(place("sylib.o"));
    } else {
        // What the user links may define some of the library, or all: ours comes last, and as an archive.
        let mut archive = Command::new(format!("{}-ar", triple(options.target)));
        run(session, archive.arg("rcs").arg(place("libsysy.a")).arg(place("sylib.o")))?;
        options.library_paths.iter().for_each(|path| _ = command.arg("-L").arg(path));
        options.libraries.iter().for_each(|name| _ = command.arg(format!("-l{name}")));
        command.arg(place("libsysy.a"));
    }
    command.args(&options.linker_words);
    run(session, &mut command)?;
    if options.dry {
        return Ok(Vec::new());
    }
    std::fs::read(place("program")).map_err(|error| system("cannot read what the linker wrote", &error))
}

/// The compiler that is called to assemble and link, and how.
#[derive(Debug, PartialEq, Eq)]
struct Driver {
    program: PathBuf,
    /// Names the target, where the program knows several.
    target: Option<String>,
    /// The linker, if it is not the driver's default.
    linker: Option<Linker>,
}

/// A linker that gcc is to call.
#[derive(Debug, PartialEq, Eq)]
struct Linker {
    name: String,
    /// Its file, if it is one for many targets: a cross gcc looks for such a one in its own folders only.
    file: Option<PathBuf>,
}

impl Driver {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.target);
        command
    }
}

/// The linker, by `-fuse-ld`: `gcc` and the linkers that gcc knows mean the cross gcc, any other name is that
/// of a compiler that takes gcc's options.
fn find_driver(options: &Options, path: &OsStr) -> Result<Driver, Failure> {
    let linker = |name: &str| {
        let file = format!("ld.{name}");
        let own = find(&format!("{}-{file}", triple(options.target)), path);
        let any = find(&file, path).filter(|_| own.is_none() && matches!(name, "lld" | "mold"));
        match own.is_some() || any.is_some() {
            true => Ok(Some(Linker { name: name.to_string(), file: any })),
            false => Err(Failure::System(format!("'{file}' for {} was not found", options.target.name))),
        }
    };
    let (program, linker) = match options.use_ld.as_deref() {
        None | Some("gcc") => (find_gcc(options.target, path)?, None),
        Some(name @ ("bfd" | "gold" | "lld" | "mold")) => (find_gcc(options.target, path)?, linker(name)?),
        Some(name) if name.contains('/') => (PathBuf::from(name), None),
        Some(name) => match find(name, path) {
            Some(program) => (program, None),
            None => return Err(Failure::System(format!("'{name}', named by -fuse-ld, was not found"))),
        },
    };
    let is_clang = program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("clang"));
    let target = is_clang.then(|| format!("--target={}", triple(options.target)));
    Ok(Driver { program, target, linker })
}

/// Makes a link to a file.
fn give_name(file: &Path, name: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(file, name);
    #[cfg(not(unix))]
    let made = std::fs::copy(file, name).map(|_| ());
    made.map_err(|error| system("cannot make a temporary link", &error))
}

/// A program in the folders of `path`.
pub(super) fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    libraries::find(name, &std::env::split_paths(path).collect::<Vec<PathBuf>>())
}

/// Finds the cross compiler in the folders of `path`.
fn find_gcc(target: &Target, path: &OsStr) -> Result<PathBuf, Failure> {
    let name = target.gcc;
    find(name, path).ok_or_else(|| {
        Failure::System(format!(
            "'{name}' is needed to assemble and link, and was not found\n  \
             install it with 'apt install {}', or make assembly with -S",
            target.packages.join(" ")
        ))
    })
}

/// A command as gcc and clang show it: a line of quoted words.
pub(super) fn shown(words: impl Iterator<Item = impl AsRef<str>>) -> String {
    let quoted = |word: &str| format!(" \"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
    words.map(|word| quoted(word.as_ref())).collect::<String>() + "\n"
}

fn run(session: &Session, command: &mut Command) -> Result<(), Failure> {
    let Options { verbose, dry, .. } = session.options;
    if verbose || dry {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let line = shown(words.map(OsStr::to_string_lossy));
        session.say(Severity::Note, line.trim(), &line);
    }
    if dry {
        return Ok(());
    }
    let program = command.get_program().to_owned();
    let shown = Path::new(&program).display();
    let done = command.output().map_err(|error| system(&format!("cannot run '{shown}'"), &error))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(Failure::System(format!("'{shown}' failed ({})\n{said}", done.status)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::options;
    use crate::isa::TARGETS;

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
    fn use_ld_chooses_the_linker_or_the_whole_driver() {
        let folder = tempfile::tempdir().unwrap();
        let bfd = format!("{}-ld.bfd", triple(TARGETS[0]));
        for name in [TARGETS[0].gcc, &bfd, "ld.lld", "ld.gold", "clang-19", "other"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let driver = |line: &str| {
            find_driver(&session(&format!("sysyc t.sy {line}")).options, folder.path().as_os_str())
        };
        let made = |name: &str, target: Option<&str>, linker: Option<(&str, Option<&str>)>| Driver {
            program: folder.path().join(name),
            target: target.map(String::from),
            linker: linker.map(|(name, file)| Linker {
                name: name.to_string(),
                file: file.map(|file| folder.path().join(file)),
            }),
        };
        let (gcc, triple) = (TARGETS[0].gcc, format!("--target={}", triple(TARGETS[0])));
        let asked = |name: &str| driver(&format!("--target={} -fuse-ld={name}", TARGETS[0].name));
        assert_eq!(driver(&format!("--target={}", TARGETS[0].name)).unwrap(), made(gcc, None, None));
        assert_eq!(asked("gcc").unwrap(), made(gcc, None, None));
        assert_eq!(asked("bfd").unwrap(), made(gcc, None, Some(("bfd", None))));
        assert_eq!(asked("lld").unwrap(), made(gcc, None, Some(("lld", Some("ld.lld")))));
        assert_eq!(asked("clang-19").unwrap(), made("clang-19", Some(&triple), None));
        assert_eq!(asked("other").unwrap(), made("other", None, None));
        assert_eq!(asked("./ld").unwrap().program, PathBuf::from("./ld"));
        for (name, said) in [("nothing", "'nothing'"), ("mold", "'ld.mold'"), ("gold", "'ld.gold'")] {
            assert!(text(asked(name)).contains(said), "{name}");
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
