//! Where output goes. A file appears complete or not at all: it is written beside its place under a temporary name and
//! then renamed. Devices and pipes are written directly.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes `bytes` to a file, or to the standard output for `-`. O(bytes).
pub fn write(path: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    if path == Path::new("-") {
        return to_stdout(bytes);
    }
    // What `/dev/stdout` leads to may be a file, but never one to be replaced.
    let special = path.starts_with("/dev") || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
    if special {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    // Of a link, what it leads to is replaced.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sysyc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(if executable { 0o777 } else { 0o666 }));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(&real).map_err(|error| error.error)?;
    Ok(())
}

/// Writes to the standard output. That a reader has gone is no error.
pub fn to_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes a message to the standard error; if nobody listens, nothing can be done about it.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_a_failure_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.s");
        write(&path, b"long first contents", false).unwrap();
        write(&path, b"second", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert!(write(&folder.path().join("none/out.s"), b"x", false).is_err());
        assert!(write(folder.path(), b"x", false).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_programs_may_be_executed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(&link, b"new", true).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_ne!(fs::metadata(&real).unwrap().permissions().mode() & 0o100, 0);
    }
}
