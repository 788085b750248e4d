//! Lines of a log by their numbers, to show them beside the events read from them.

use crate::compressed::decompress;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The most bytes of a line that are kept: some lines of a terminal.
const MAX_LINE: usize = 2_000;

/// The lines of a file with these numbers, from 1, without their ends; of a long line the start.
/// Some lines of a file. Bytes that are not UTF-8 are replaced. Lines after the end of the file are left out.
///
/// # Errors
/// When the file cannot be read, or is a pipe or a device: opening that again would wait for another writer.
pub fn raw_lines(path: &Path, numbers: &BTreeSet<usize>) -> io::Result<BTreeMap<usize, String>> {
    if !path.is_file() {
        return Err(io::Error::other("no regular file"));
    }
    let mut reader = BufReader::new(decompress(path, File::open(path)?)?);
    let mut lines = BTreeMap::new();
    let (mut number, mut line) = (1, Vec::new());
    while let Some(&last) = numbers.last()
        && number <= last
    {
        line.clear();
        if reader.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.last() != Some(&b'\n') {
            reader.skip_until(b'\n')?;
        }
        if numbers.contains(&number) {
            let text = String::from_utf8_lossy(&line);
            lines.insert(number, text.trim_end_matches(['\n', '\r']).to_owned());
        }
        number += 1;
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn lines_are_found_by_number_also_in_packed_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!("one\r\ntwo\n{}\nfour", "x".repeat(5_000));
        let plain = folder.path().join("log");
        std::fs::write(&plain, &text).expect("a file");
        let packed = folder.path().join("log.gz");
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text.as_bytes()).expect("memory");
        std::fs::write(&packed, writer.finish().expect("memory")).expect("a file");
        for path in [plain, packed] {
            let lines = raw_lines(&path, &BTreeSet::from([1, 3, 4, 9])).expect("readable");
            let lengths: Vec<_> = lines.iter().map(|(at, line)| (*at, line.len())).collect();
            assert_eq!(lengths, [(1, 3), (3, MAX_LINE), (4, 4)]);
            assert_eq!(lines[&4], "four");
        }
    }
}
