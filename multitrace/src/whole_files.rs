//! Files and folders that appear whole or not at all. Until then they have another name beside their own, under which
//! they are locked, so that whoever writes next to them can tell and remove the files of a killed process.

use multitrace_logs::UNFINISHED;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::{Builder, TempPath};

/// How the names begin under which files and folders wait. On some file systems, such as buckets mounted as folders, locks
/// hold on one host only, so the name of the host is in them, where Linux says it: each host removes its own.
static PREFIX: LazyLock<String> = LazyLock::new(|| {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{UNFINISHED}{}-", host.trim().replace(|it: char| !it.is_ascii_alphanumeric(), "_"))
});

/// How many letters and digits follow.
const RANDOM: usize = 6;

/// A file that appears under its name when it is finished. Dropped before, it vanishes.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<File>,
    temporary: TempPath,
}

impl WholeFile {
    /// Begins a file that will be at a path, and replace one that is there. Removes the files that killed processes of
    /// this host have left beside it.
    ///
    /// # Errors
    /// When no file can be made there. Errors are those of the system, without the temporary name.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        let folder = folder_of(path);
        remove_left_behind(folder);
        let (file, temporary) = make_locked(folder, |path| {
            let file = File::options().write(true).create_new(true).open(path)?;
            // Not every file system has locks; there, nobody removes files left behind.
            let _ = file.lock();
            Ok(file)
        })?;
        Ok(WholeFile { path: path.to_owned(), writer: BufWriter::new(file), temporary })
    }

    /// Where the file is until it is finished.
    pub fn temporary_path(&self) -> &Path {
        &self.temporary
    }

    /// Writes the buffer and gives the file its name.
    ///
    /// # Errors
    /// When something cannot be written, or the file cannot be given its name. Nothing is left then.
    pub fn finish(self) -> io::Result<()> {
        // Open until it has its name: it is locked as long.
        let file = self.writer.into_inner().map_err(|error| error.into_error())?;
        // A replaced file keeps its permissions. Not every file system has modes.
        if let Ok(there) = fs::metadata(&self.path) {
            let _ = file.set_permissions(there.permissions());
        }
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
    temporary: TempPath,
    /// Holds the lock.
    _lock: Option<File>,
}

impl WholeFolder {
    /// Begins a folder that will be at a path. Removes the files that killed processes of this host have left beside
    /// it, or in it.
    ///
    /// # Errors
    /// [`DirectoryNotEmpty`](io::ErrorKind::DirectoryNotEmpty) when there is a folder with something in it, and when
    /// no folder can be made there. Errors are those of the system, without the temporary name.
    pub fn create(path: &Path) -> io::Result<WholeFolder> {
        let is_there = fs::symlink_metadata(path).is_ok();
        let beside = if is_there { path } else { folder_of(path) };
        fs::create_dir_all(beside)?;
        remove_left_behind(beside);
        if is_there && fs::read_dir(path)?.next().is_some() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let (_lock, temporary) = make_locked(beside, |path| {
            fs::create_dir(path)?;
            Ok(File::open(path).ok().filter(|folder| folder.lock().is_ok()))
        })?;
        Ok(WholeFolder { path: path.to_owned(), is_there, temporary, _lock })
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
        Ok(())
    }
}

impl Drop for WholeFolder {
    fn drop(&mut self) {
        // A new folder that is finished is no longer there; one that is would be removed as a file.
        let _ = fs::remove_dir_all(&self.temporary);
        self.temporary.disable_cleanup(true);
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes something by a temporary name in a folder.
fn make_locked<T>(
    folder: &Path,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, TempPath)> {
    let made = Builder::new().prefix(&*PREFIX).rand_bytes(RANDOM).make_in(folder, |path| {
        let made = make(path)?;
        // Another process may have found and removed it before it was locked. Then another name is tried.
        if path.exists() { Ok(made) } else { Err(io::ErrorKind::AlreadyExists.into()) }
    })?;
    Ok(made.into_parts())
}

/// Removes files and folders that nobody has locked: their processes have ended without finishing them. A file that
/// cannot be removed stays, and is in nobody's way.
fn remove_left_behind(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let is_named =
            name.len() == PREFIX.len() + RANDOM && name.to_string_lossy().starts_with(&*PREFIX);
        // Links and pipes were not made here.
        let kind = entry.file_type().ok().filter(|it| is_named && (it.is_file() || it.is_dir()));
        let Some((kind, lock)) = kind.and_then(|kind| Some((kind, File::open(&path).ok()?))) else {
            continue;
        };
        // Locked while it is removed, so that its process, if it has only just made it, sees that it is gone.
        if lock.try_lock().is_ok() {
            let _ = if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
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
        let of_another_host = format!("{UNFINISHED}another_host-123456");
        let mut stays = vec![of_another_host, "multitrace-123456".to_owned()];
        stays.extend(["", "1234567"].map(|rest| format!("{}{rest}", *PREFIX)));
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
    fn errors_are_those_of_the_system() {
        let folder = tempfile::tempdir().expect("a folder");
        let in_a_file = folder.path().join("file/a");
        fs::write(folder.path().join("file"), "").expect("a file");
        for error in [
            WholeFile::create(&in_a_file).expect_err("a file is not a folder"),
            WholeFolder::create(&in_a_file).expect_err("a file is not a folder"),
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
