//! Files and folders that appear whole or not at all. Until then they have another name beside their own, under which
//! they are locked, so that whoever writes next to them can tell and remove what a killed process left behind.

// On some file systems, such as buckets mounted as folders, locks hold on one host only. So a temporary name has a mark
// of its host, and a process removes only what its own host left.

use multitrace_logs::UNFINISHED;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use tempfile::{Builder, TempPath};

/// How the names begin under which files and folders wait, with the mark of this host; six letters and digits follow.
static PREFIX: LazyLock<String> =
    LazyLock::new(|| format!("{UNFINISHED}{}-", mark_of(&host_name())));

/// Folders in which this process has removed what was left behind. Once is enough: to list a folder for each of its
/// files costs the square of their number.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How often a name is made anew when another process has taken it for one that was left behind.
const TRIES: usize = 16;

/// A file that appears under its name when it is finished. Dropped before, it vanishes.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<File>,
    temporary: TempPath,
}

impl WholeFile {
    /// Begins a file that will be at a path, and replace what is there. The first in its folder
    /// removes what killed processes of this host have left there.
    ///
    /// # Errors
    /// When no file can be made there. Errors are those of the system, without the temporary name.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        let folder = folder_of(path);
        sweep_once(folder);
        let (file, temporary) = make_locked(folder, |path| {
            let file = File::options().write(true).create_new(true).open(path)?;
            // Not every file system has locks; there, nobody removes what is left behind.
            let _ = file.lock();
            Ok(file)
        })?;
        Ok(WholeFile { path: path.to_owned(), writer: BufWriter::new(file), temporary })
    }

    /// Where the file is until it is finished.
    pub fn temporary_path(&self) -> &Path {
        &self.temporary
    }

    /// Writes what is buffered and gives the file its name.
    ///
    /// # Errors
    /// When something cannot be written, or the file cannot be given its name. Nothing is left then.
    pub fn finish(self) -> io::Result<()> {
        // Open until it has its name: it is locked as long.
        let _file = self.writer.into_inner().map_err(|error| error.into_error())?;
        self.temporary.persist(&self.path).map_err(|error| error.error)
    }

    /// Writes a file at once.
    ///
    /// # Errors
    /// Those of [`WholeFile::create`] and [`WholeFile::finish`].
    pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = WholeFile::create(path)?;
        file.write_all(content)?;
        file.finish()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A new folder that appears under its name when it is finished. Dropped before, it vanishes with all that is in it.
/// If there is an empty folder by that name, the files in it appear one after the other when all are written.
#[derive(Debug)]
pub struct WholeFolder {
    path: PathBuf,
    is_there: bool,
    temporary: PathBuf,
    /// Holds the lock.
    _lock: Option<File>,
}

impl WholeFolder {
    /// Begins a folder that will be at a path. The first removes what killed processes of this host have left
    /// beside it, or in it.
    ///
    /// # Errors
    /// [`DirectoryNotEmpty`](io::ErrorKind::DirectoryNotEmpty) when there is a folder with something in it, and when
    /// no folder can be made there. Errors are those of the system, without the temporary name.
    pub fn create(path: &Path) -> io::Result<WholeFolder> {
        let is_there = fs::symlink_metadata(path).is_ok();
        let beside = if is_there { path } else { folder_of(path) };
        fs::create_dir_all(beside)?;
        sweep_once(beside);
        if is_there && fs::read_dir(path)?.next().is_some() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let (lock, mut temporary) = make_locked(beside, |path| {
            fs::create_dir(path)?;
            Ok(File::open(path).ok().filter(|folder| folder.lock().is_ok()))
        })?;
        // It would be removed as a file.
        temporary.disable_cleanup(true);
        let (path, temporary) = (path.to_owned(), temporary.to_path_buf());
        Ok(WholeFolder { path, is_there, temporary, _lock: lock })
    }

    /// Where the folder is until it is finished; files go here.
    pub fn temporary_path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// When there is something else by that name meanwhile.
    pub fn finish(self) -> io::Result<()> {
        if !self.is_there {
            return fs::rename(&self.temporary, &self.path);
        }
        for entry in fs::read_dir(&self.temporary)? {
            let entry = entry?;
            fs::rename(entry.path(), self.path.join(entry.file_name()))?;
        }
        fs::remove_dir(&self.temporary)
    }
}

impl Drop for WholeFolder {
    fn drop(&mut self) {
        // A folder that is finished is no longer there.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// Makes something by a temporary name in a folder. Whoever removes what is left behind may have found it before it was
/// locked, and then it is gone.
fn make_locked<T>(
    folder: &Path,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, TempPath)> {
    for _ in 0..TRIES {
        let (made, path) = Builder::new().prefix(&*PREFIX).make_in(folder, &make)?.into_parts();
        if path.exists() {
            return Ok((made, path));
        }
    }
    Err(io::Error::other("other processes remove temporary files as soon as they are there"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn host_name() -> Vec<u8> {
    let variable = |name| std::env::var_os(name).map(|name| name.into_encoded_bytes());
    let name = fs::read("/proc/sys/kernel/hostname").ok();
    name.or_else(|| variable("HOSTNAME")).or_else(|| variable("COMPUTERNAME")).unwrap_or_default()
}

/// Eight hexadecimal digits, the same for a host in all versions.
fn mark_of(host: &[u8]) -> String {
    let hash = Sha256::digest(host.trim_ascii());
    hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Removes what was left behind in a folder, unless this process has done so.
fn sweep_once(folder: &Path) {
    // A process may change the folder that relative paths begin at.
    let Ok(known) = std::path::absolute(folder) else { return };
    if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(known) {
        remove_left_behind(folder);
    }
}

/// Removes files and folders that nobody has locked: their processes have ended without finishing them.
fn remove_left_behind(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) {
            // What cannot be removed stays, and is in nobody's way.
            let _ = remove_unlocked(&entry);
        }
    }
}

fn is_temporary(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX.as_str());
    rest.is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|it| it.is_ascii_alphanumeric()))
}

fn remove_unlocked(entry: &fs::DirEntry) -> io::Result<()> {
    // Links and pipes were not made here.
    let (path, kind) = (entry.path(), entry.file_type()?);
    if !kind.is_file() && !kind.is_dir() {
        return Ok(());
    }
    // Held while it is removed, so that its process, if it has only just made it, sees that it is gone.
    let lock = File::open(&path)?;
    match lock.try_lock() {
        Ok(()) if kind.is_dir() => fs::remove_dir_all(&path),
        Ok(()) => fs::remove_file(&path),
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry"));
        let mut names: Vec<_> =
            entries.map(|it| it.file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_finished() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, "old").expect("a file");
        let mut file = WholeFile::create(&path).expect("a file");
        file.write_all(b"new").expect("room");
        file.flush().expect("room");
        assert_eq!(fs::read(&path).expect("a file"), b"old");
        drop(file);
        assert_eq!(names(folder.path()), ["a"]);
        WholeFile::write(&path, b"new").expect("a file");
        assert_eq!(fs::read(&path).expect("a file"), b"new");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_folder_appears_when_it_is_finished() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("in/out");
        let begun = WholeFolder::create(&path).expect("a folder");
        fs::write(begun.temporary_path().join("a"), "").expect("a file");
        assert!(!path.exists());
        drop(begun);
        assert!(names(&folder.path().join("in")).is_empty());
        let begun = WholeFolder::create(&path).expect("a folder");
        fs::write(begun.temporary_path().join("a"), "").expect("a file");
        begun.finish().expect("a name");
        assert_eq!(names(&path), ["a"]);
        assert_eq!(names(&folder.path().join("in")), ["out"]);
    }

    #[test]
    fn an_empty_folder_gets_its_files_when_all_are_written() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(format!("{}aB3dE6", *PREFIX)), "").expect("a file");
        let begun = WholeFolder::create(folder.path()).expect("a folder");
        fs::write(begun.temporary_path().join("a"), "").expect("a file");
        fs::write(begun.temporary_path().join("b"), "").expect("a file");
        assert!(!folder.path().join("a").exists());
        begun.finish().expect("names");
        assert_eq!(names(folder.path()), ["a", "b"]);
        let error = WholeFolder::create(folder.path()).expect_err("files in it");
        assert_eq!(error.kind(), io::ErrorKind::DirectoryNotEmpty);
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn what_was_left_behind_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let of_another_host = format!("{UNFINISHED}{}-123456", mark_of(b"another host"));
        let mut stays = vec![of_another_host, "multitrace-123456".to_owned()];
        stays.extend(["", "1234567", "12345."].map(|rest| format!("{}{rest}", *PREFIX)));
        let left = ["aB3dE6", "folder"].map(|rest| format!("{}{rest}", *PREFIX));
        stays.iter().chain(&left[..1]).for_each(|name| fs::write(at(name), "").expect("a file"));
        fs::create_dir_all(at(&left[1]).join("in")).expect("a folder");
        let running = WholeFile::create(&at("a")).expect("a file");
        let building = WholeFolder::create(&at("b")).expect("a folder");
        remove_left_behind(folder.path());
        WholeFile::write(&at("c"), b"").expect("a file");
        for path in [running.temporary_path(), building.temporary_path()] {
            let name = path.file_name().expect("a name");
            stays.push(name.to_str().expect("UTF-8").to_owned());
        }
        stays.push("c".to_owned());
        stays.sort();
        assert_eq!(names(folder.path()), stays);
    }

    #[test]
    fn a_folder_is_swept_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let left = folder.path().join(format!("{}aB3dE6", *PREFIX));
        fs::write(&left, "").expect("a file");
        WholeFile::write(&folder.path().join("a"), b"").expect("a file");
        assert!(!left.exists());
        fs::write(&left, "").expect("a file");
        WholeFile::write(&folder.path().join("b"), b"").expect("a file");
        assert!(left.exists());
    }

    #[test]
    fn a_host_has_the_same_mark_everywhere() {
        assert_eq!(mark_of(b"one"), "7692c3ad");
        assert_eq!(mark_of(b"one\n"), "7692c3ad");
        assert_ne!(mark_of(b"one"), mark_of(b"two"));
    }

    #[test]
    fn errors_are_those_of_the_system() {
        let folder = tempfile::tempdir().expect("a folder");
        let in_a_file = folder.path().join("file/a");
        fs::write(folder.path().join("file"), "").expect("a file");
        for error in [
            WholeFile::create(&in_a_file).expect_err("a file is no folder"),
            WholeFolder::create(&in_a_file).expect_err("a file is no folder"),
            WholeFile::create(&folder.path().join("b/a")).expect_err("no folder"),
        ] {
            assert!(error.raw_os_error().is_some(), "{error}");
        }
    }

    /// Many threads that write into one folder never take each other's files for leftovers.
    #[test]
    fn writers_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let folder = folder.path();
                scope.spawn(move || {
                    for number in 0..100 {
                        remove_left_behind(folder);
                        let path = folder.join(format!("{thread}-{number}"));
                        WholeFile::write(&path, b"text").expect("a file");
                    }
                });
            }
        });
        let names = names(folder.path());
        assert_eq!(names.len(), 400);
        for name in names {
            assert_eq!(fs::read(folder.path().join(name)).expect("a file"), b"text");
        }
    }
}
