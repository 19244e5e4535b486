//! Where output goes. A file appears complete or not at all.
//!
//! On Linux it is written without a name, into the file system of its folder (`O_TMPFILE`): whatever ends the
//! process, a full disk or SIGKILL, leaves nothing behind. Complete, it is linked to its name if that is
//! free, or else to `.NAME.sysyc`, which is renamed to replace the old file; the system has no call that does
//! both at once. A process killed between these two leaves a complete `.NAME.sysyc`, and the next run removes
//! it. Where there are no unnamed files (NFS, FAT, no `/proc`, other systems), it is written under a random
//! name, which a signal in the middle leaves behind.
//!
//! - Of a symbolic link what it leads to is replaced, or made if nothing is there. Of hard links only the
//!   named one gets the new file; the others keep the old.
//! - A program is a new file, with all permissions that the umask leaves, as from ld. Anything else keeps the
//!   permissions of the file that it replaces, and does not replace one that is write protected, as from `gcc
//!   -S`.
//! - Devices, pipes and what stands open (`/dev/stdout`, `/dev/fd/3`) are written in place.
//! - More than the limit on file sizes allows (`ulimit -f`) is not begun: the signal for it would end the
//!   process.

use super::deliver::PROGRAM;
use crate::base::parallel::Workers;
use crate::base::parts::Part;
use similar::TextDiff;
#[cfg(unix)]
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// As many links in a row as the system follows.
const MAX_LINKS: usize = 40;

/// Where bytes go.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Stdout,
    Stderr,
    /// Something that is written in place.
    Open(PathBuf),
    /// A file, or where there is to be one; not a link.
    File(PathBuf),
}

/// Writes `bytes` to a file, or to the standard output for `-`. O(bytes). The error says all but what could
/// not be written.
#[inline(never)]
pub fn write(path: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    write_parts(path, &[Part::Bytes(bytes)], executable, &Workers::new(1))
}

/// The same with bytes in parts, one behind the other. To a file, each is written by the worker that made it.
#[inline(never)]
pub fn write_parts(path: &Path, parts: &[Part], executable: bool, workers: &Workers) -> io::Result<()> {
    match place(path)? {
        Place::Stdout => parts_to_stdout(parts),
        Place::Stderr => all(&mut io::stderr().lock(), parts),
        Place::Open(path) => in_place(&path, parts).map_err(|error| explain(&error, None)),
        Place::File(path) => {
            let new = New { parts, executable, workers };
            replace(&path, &new).map_err(|error| explain(&error, Some(&path)))
        }
    }
}

/// A file to be.
struct New<'a> {
    parts: &'a [Part<'a>],
    executable: bool,
    workers: &'a Workers,
}

/// Refuses an output that is an input, too.
pub fn check_apart<'a>(path: &Path, inputs: impl IntoIterator<Item = &'a PathBuf>) -> io::Result<()> {
    let Some(output) = fs::metadata(path).ok().filter(Metadata::is_file) else { return Ok(()) };
    for input in inputs {
        if input != Path::new("-") && fs::metadata(input).is_ok_and(|input| is_same(&input, &output)) {
            let message = format!("it is the input '{}', too; name another with -o", input.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

fn all(out: &mut impl Write, parts: &[Part]) -> io::Result<()> {
    let mut room = Vec::new();
    parts.iter().try_for_each(|part| out.write_all(part.bytes(&mut room)))
}

/// Fills an empty file.
#[cfg(unix)]
fn fill(mut file: &File, new: &New) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    if new.workers.jobs() == 1 || new.parts.len() == 1 {
        return all(&mut file, new.parts);
    }
    let mut end = 0;
    let place = |part| {
        let start = end;
        end += Part::size(part) as u64;
        (start, part)
    };
    let mut places: Vec<(u64, &Part)> = new.parts.iter().map(place).collect();
    let written = new
        .workers
        .map(&mut places, Vec::new, |room, _, (start, part)| file.write_all_at(part.bytes(room), *start));
    written.into_iter().collect()
}

#[cfg(not(unix))]
fn fill(mut file: &File, new: &New) -> io::Result<()> {
    all(&mut file, new.parts)
}

/// Writes to the standard output. That a reader has gone is no error.
pub fn to_stdout(bytes: &[u8]) -> io::Result<()> {
    parts_to_stdout(&[Part::Bytes(bytes)])
}

/// Writes to the standard output what changes in a file, as a unified diff.
pub fn show_changes(path: &str, before: &[u8], now: &[u8]) -> io::Result<()> {
    let mut diff = Vec::new();
    TextDiff::from_lines(before, now).unified_diff().header(path, path).to_writer(&mut diff)?;
    to_stdout(&diff)
}

fn parts_to_stdout(bytes: &[Part]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let start = limits::position(&out);
    match limits::check(start, bytes).and_then(|()| all(&mut out, bytes)).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(explain(&error, None)),
        Ok(()) => Ok(()),
    }
}

/// Writes a message to the standard error; if it is closed, nothing can be done about it.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Columns of what the standard error is shown on: as `COLUMNS` says, or the terminal; 0 if neither is known.
pub fn width_of_stderr() -> usize {
    let told =
        std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&columns| columns > 0);
    told.unwrap_or_else(|| {
        #[cfg(unix)]
        let columns = rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
        #[cfg(not(unix))]
        let columns = 0;
        columns
    })
}

/// Follows links to where the bytes go.
fn place(path: &Path) -> io::Result<Place> {
    let refuse = |why: &str| Err(io::Error::new(ErrorKind::InvalidInput, why.to_string()));
    if path.as_os_str().is_empty() {
        return refuse("the name is empty");
    }
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match path.to_str() {
            Some("-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Ok(Place::Stdout),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return Ok(Place::Stderr),
            _ => {}
        }
        // These are links to files, but what stands open there is to be written, not to be replaced.
        if path.starts_with("/dev/fd") || (path.starts_with("/proc") && path.iter().any(|part| part == "fd"))
        {
            return Ok(Place::Open(path));
        }
        if let Ok(target) = fs::read_link(&path) {
            path = path.parent().unwrap_or(Path::new("")).join(target);
            continue;
        }
        return match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => {
                refuse(&format!("it is a folder; name a file, as in '{}'", path.join(PROGRAM).display()))
            }
            Ok(meta) if !meta.is_file() => Ok(Place::Open(path)),
            _ if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                refuse("a file's name does not end in '/'")
            }
            _ => Ok(Place::File(path)),
        };
    }
    refuse("its links lead in a circle")
}

fn in_place(path: &Path, bytes: &[Part]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    if file.metadata()?.is_file() {
        limits::check(0, bytes)?;
    }
    all(&mut file, bytes)
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts a new file with these bytes where `path`, which is no link, says.
fn replace(path: &Path, new: &New) -> io::Result<()> {
    limits::check(0, new.parts)?;
    let old = fs::metadata(path).ok();
    let kept = old.as_ref().filter(|_| !new.executable);
    if kept.is_some() && OpenOptions::new().append(true).open(path).is_err() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "there is a file that is write protected"));
    }
    match unnamed::write(path, new, kept)? {
        true => Ok(()),
        false => named(path, new, kept),
    }
}

/// Writes the file under a random name first.
fn named(path: &Path, new: &New, kept: Option<&Metadata>) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sysyc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(if new.executable { 0o777 } else { 0o666 }));
    }
    let file = builder.tempfile_in(folder_of(path))?;
    fill(file.as_file(), new)?;
    if let Some(old) = kept {
        keep(file.as_file(), old);
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Gives a file the owner and the permissions of the one it replaces, as far as that is allowed.
#[cfg(unix)]
fn keep(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if file.metadata().is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid())) {
        _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
    }
    _ = file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o777));
}

#[cfg(not(unix))]
fn keep(_: &File, _: &Metadata) {}

/// Files without a name.
#[cfg(target_os = "linux")]
mod unnamed {
    use super::{File, Metadata, New, Path, fill, folder_of, fs, io, keep};
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::os::fd::AsRawFd;

    /// Other runs that write the same file may take the spare name away; as often as that, it is tried again.
    const ATTEMPTS: usize = 100;

    /// Writes the file; false if that cannot be done here this way.
    pub(super) fn write(path: &Path, new: &New, kept: Option<&Metadata>) -> io::Result<bool> {
        let mode = Mode::from_raw_mode(if new.executable { 0o777 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let Ok(handle) = open(folder_of(path), flags, mode) else { return Ok(false) };
        let file = File::from(handle);
        fill(&file, new)?;
        if let Some(old) = kept {
            keep(&file, old);
        }
        publish(&file, path)
    }

    /// Gives a complete file its name.
    fn publish(file: &File, path: &Path) -> io::Result<bool> {
        let Some(name) = path.file_name() else { return Ok(false) };
        let mut spare = std::ffi::OsString::from(".");
        spare.push(name);
        spare.push(".sysyc");
        let spare = path.with_file_name(spare);
        let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link = |to: &Path| linkat(CWD, unnamed.as_str(), CWD, to, AtFlags::SYMLINK_FOLLOW);

        // Of a run that was killed at the wrong moment.
        _ = fs::remove_file(&spare);
        match link(path) {
            Ok(()) => return Ok(true),
            Err(Errno::EXIST) => {}
            Err(_) => return Ok(false),
        }
        for _ in 0..ATTEMPTS {
            match link(&spare) {
                Ok(()) => {}
                Err(Errno::EXIST) => {
                    _ = fs::remove_file(&spare);
                    continue;
                }
                Err(_) => return Ok(false),
            }
            let renamed = fs::rename(&spare, path);
            // It is still there if it could not be renamed, or if another run has just renamed this very
            // file.
            _ = fs::remove_file(&spare);
            match renamed {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                result => return result.map(|()| true),
            }
        }
        Ok(false)
    }
}

#[cfg(not(target_os = "linux"))]
mod unnamed {
    use super::{Metadata, New, Path, io};

    pub(super) fn write(_: &Path, _: &New, _: Option<&Metadata>) -> io::Result<bool> {
        Ok(false)
    }
}

/// The limit on the size of files.
#[cfg(unix)]
mod limits {
    use super::{ErrorKind, Part, io};
    use rustix::fs::{FileType, OFlags, SeekFrom, fcntl_getfl, fstat, seek};
    use rustix::process::{Resource, getrlimit};
    use std::os::fd::AsFd;

    /// Where in a file the next byte goes; 0 if it is no file.
    pub(super) fn position(out: &impl AsFd) -> u64 {
        match fstat(out) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
                let appends = fcntl_getfl(out).is_ok_and(|flags| flags.contains(OFlags::APPEND));
                let end = if appends { SeekFrom::End(0) } else { SeekFrom::Current(0) };
                seek(out, end).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Refuses what would end at a place behind the limit.
    pub(super) fn check(start: u64, parts: &[Part]) -> io::Result<()> {
        match getrlimit(Resource::Fsize).current {
            Some(limit)
                if start.saturating_add(parts.iter().map(|part| part.size() as u64).sum()) > limit =>
            {
                Err(io::Error::from(ErrorKind::FileTooLarge))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(not(unix))]
mod limits {
    pub(super) fn position<T>(_: &T) -> u64 {
        0
    }

    pub(super) fn check(_: u64, _: &[super::Part]) -> super::io::Result<()> {
        Ok(())
    }
}

/// An error in words: what is wrong, and what can be done. `file` is what was to be replaced, if it was a
/// file.
fn explain(error: &io::Error, file: Option<&Path>) -> io::Error {
    let folder = file.map_or(String::new(), |path| folder_of(path).display().to_string());
    let mut text = match (error.kind(), file) {
        (ErrorKind::StorageFull, _) => "no space is left".to_string(),
        (ErrorKind::QuotaExceeded, _) => "the disk quota is used up".to_string(),
        (ErrorKind::FileTooLarge, _) => {
            "it would be larger than the limit on files ('ulimit -f')".to_string()
        }
        (ErrorKind::ReadOnlyFilesystem, Some(_)) => format!("the file system of '{folder}' is read-only"),
        (ErrorKind::NotFound, Some(_)) => format!("there is no folder '{folder}'; 'mkdir -p' makes it"),
        (ErrorKind::NotADirectory, Some(_)) => format!("'{folder}' is no folder"),
        (ErrorKind::PermissionDenied, Some(_)) => {
            format!("no permission to make files in '{folder}'; '-o -' writes to the standard output")
        }
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_string()
        }
    };
    if file.is_some_and(Path::is_file) {
        text.push_str("; the old file is as it was");
    }
    io::Error::new(error.kind(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_a_failure_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.s");
        write(&path, b"long first contents", false).unwrap();
        write(&path, b"second", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        for (wrong, why) in [
            ("none/out.s", "mkdir -p"),
            ("", "folder"),
            ("new/", "'/'"),
            ("out.s/", "'/'"),
            ("out.s/x", "no folder"),
        ] {
            let said = write(&folder.path().join(wrong), b"x", false).unwrap_err().to_string();
            assert!(said.contains(why), "{wrong}: {said}");
        }
        assert!(write(Path::new(""), b"x", false).is_err());
        assert_eq!(names(folder.path()), ["out.s"]);
    }

    #[test]
    fn an_output_that_is_an_input_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a.sy"), folder.path().join("b.sy"));
        fs::write(&a, "").unwrap();
        assert!(check_apart(&b, [&a, &b]).is_ok());
        fs::write(&b, "").unwrap();
        assert!(check_apart(&b, [&a, &PathBuf::from("-")]).is_ok());
        assert!(check_apart(&b, [&a, &b]).unwrap_err().to_string().contains("b.sy"));
        assert!(check_apart(Path::new("/dev/null"), [&PathBuf::from("/dev/null")]).is_ok());
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().mode() & 0o777
        }

        fn with_new<R>(bytes: &[u8], executable: bool, run: impl FnOnce(&New) -> R) -> R {
            run(&New { parts: &[Part::Bytes(bytes)], executable, workers: &Workers::new(1) })
        }

        #[test]
        fn links_stay_links_whether_or_not_they_lead_to_something() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::create_dir(at("deep")).unwrap();
            symlink("deep/second", at("first")).unwrap();
            symlink("third", at("deep/second")).unwrap();
            for text in ["new", "newer"] {
                write(&at("first"), text.as_bytes(), true).unwrap();
                assert_eq!(fs::read_to_string(at("deep/third")).unwrap(), text);
            }
            assert!(fs::symlink_metadata(at("first")).unwrap().is_symlink());
            assert!(fs::symlink_metadata(at("deep/second")).unwrap().is_symlink());
            assert_eq!(
                (names(folder.path()).len(), names(&at("deep"))),
                (2, vec!["second".into(), "third".into()])
            );
            symlink("circle", at("circle")).unwrap();
            assert!(write(&at("circle"), b"x", false).unwrap_err().to_string().contains("circle"));
        }

        #[test]
        fn parts_are_in_their_places_however_many_workers_write() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            let make = |k: usize| move |out: &mut Vec<u8>| out.extend(vec![k as u8; 10 * k]);
            let parts: Vec<Part> = (0..200)
                .map(|k| match k % 2 {
                    0 => Part::Made(10 * k, Box::new(make(k))),
                    _ => Part::Own(vec![k as u8; 7]),
                })
                .collect();
            for jobs in [1, 2, 8] {
                write_parts(&path, &parts, false, &Workers::new(jobs)).unwrap();
                assert!(fs::read(&path).unwrap() == crate::base::parts::concat(&parts), "-j{jobs}");
            }
        }

        #[test]
        fn of_hard_links_the_named_one_is_replaced() {
            let folder = tempfile::tempdir().unwrap();
            let (a, b) = (folder.path().join("a"), folder.path().join("b"));
            fs::write(&a, "old").unwrap();
            fs::hard_link(&a, &b).unwrap();
            write(&b, b"new", false).unwrap();
            assert_eq!((fs::read(&a).unwrap(), fs::read(&b).unwrap()), (b"old".to_vec(), b"new".to_vec()));
        }

        #[test]
        fn permissions_are_those_of_a_new_program_or_of_the_old_text() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::write(at("plain"), "").unwrap();
            let umasked = mode(&at("plain"));
            write(&at("text"), b"1", false).unwrap();
            write(&at("program"), b"1", true).unwrap();
            assert_eq!(
                (mode(&at("text")), mode(&at("program"))),
                (umasked, umasked | (umasked & 0o444) >> 2)
            );
            for name in ["text", "program"] {
                fs::set_permissions(at(name), fs::Permissions::from_mode(0o640)).unwrap();
                write(&at(name), b"2", name == "program").unwrap();
            }
            assert_eq!((mode(&at("text")), mode(&at("program"))), (0o640, umasked | (umasked & 0o444) >> 2));
        }

        #[test]
        fn where_there_are_no_unnamed_files_the_result_is_the_same() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::write(at("plain"), "").unwrap();
            let umasked = mode(&at("plain"));
            for (name, executable, expected) in
                [("plain", false, umasked), ("program", true, umasked | (umasked & 0o444) >> 2)]
            {
                with_new(b"new", executable, |new| named(&at(name), new, None)).unwrap();
                assert_eq!(
                    (fs::read(at(name)).unwrap(), mode(&at(name))),
                    (b"new".to_vec(), expected),
                    "{name}"
                );
            }
            fs::set_permissions(at("plain"), fs::Permissions::from_mode(0o604)).unwrap();
            let old = fs::metadata(at("plain")).ok();
            with_new(b"newer", false, |new| named(&at("plain"), new, old.as_ref())).unwrap();
            assert_eq!((fs::read(at("plain")).unwrap(), mode(&at("plain"))), (b"newer".to_vec(), 0o604));
            fs::create_dir(at("folder")).unwrap();
            for wrong in ["folder", "none/x"] {
                assert!(with_new(b"x", false, |new| named(&at(wrong), new, None)).is_err());
            }
            assert_eq!(names(folder.path()), ["folder", "plain", "program"]);
        }

        #[test]
        fn what_a_killed_run_left_behind_goes() {
            let folder = tempfile::tempdir().unwrap();
            for name in ["out", ".out.sysyc"] {
                fs::write(folder.path().join(name), "old").unwrap();
            }
            write(&folder.path().join("out"), b"new", false).unwrap();
            assert_eq!(names(folder.path()), ["out"]);
        }

        #[test]
        fn runs_at_the_same_time_do_not_disturb_each_other() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            std::thread::scope(|scope| {
                for byte in 0..4 {
                    let path = &path;
                    scope.spawn(move || {
                        (0..200).for_each(|_| write(path, &vec![byte; 5000], byte % 2 == 0).unwrap());
                    });
                }
            });
            let bytes = fs::read(&path).unwrap();
            assert!(bytes.len() == 5000 && bytes.iter().all(|&byte| byte == bytes[0]));
            assert_eq!(names(folder.path()), ["out"]);
        }
    }
}
