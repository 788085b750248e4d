//! How inputs may be packed: the bytes and the names that tell it.

use std::path::Path;

/// A way to pack files, or to put several into one.
#[derive(Debug)]
pub(crate) struct Packing {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The bytes that tell it, each from a place on.
    marks: &'static [(usize, &'static [u8])],
    /// The extensions of its files, in small letters.
    extensions: &'static [&'static str],
    /// Whether this crate unpacks it.
    pub(crate) is_read: bool,
}

/// As many bytes as tell the packing of a file: the mark of tar comes last.
pub(crate) const MARKED_BYTES: usize = 257 + 6;
/// A packed file has at least this many bytes in every format: a shorter one was cut off.
pub(crate) const LEAST_PACKED: usize = 4;

const fn refused(
    name: &'static str,
    marks: &'static [(usize, &'static [u8])],
    extensions: &'static [&'static str],
) -> Packing {
    Packing { name, marks, extensions, is_read: false }
}

/// All that are known. Frames of zstd for other tools and archives of cpio have marks of their own.
static PACKINGS: [Packing; 19] = [
    Packing {
        name: "gzip",
        marks: &[(0, &[0x1f, 0x8b])],
        extensions: &["gz", "gzip", "tgz"],
        is_read: true,
    },
    Packing {
        name: "zstd",
        marks: &[(0, &[0x28, 0xb5, 0x2f, 0xfd])],
        extensions: &["zst", "zstd", "tzst"],
        is_read: true,
    },
    refused("xz", &[(0, &[0xfd, b'7', b'z', b'X'])], &["xz", "txz"]),
    refused("bzip2", &[(0, b"BZh")], &["bz2", "bz", "bzip2", "tbz2", "tbz"]),
    refused("zip", &[(0, b"PK\x03\x04"), (0, b"PK\x05\x06"), (0, b"PK\x07\x08")], &["zip"]),
    refused("7z", &[(0, &[b'7', b'z', 0xbc, 0xaf])], &["7z"]),
    // The second one is that of its legacy frames.
    refused("lz4", &[(0, &[4, 0x22, 0x4d, 0x18]), (0, &[2, 0x21, 0x4c, 0x18])], &["lz4"]),
    // Its mark is that of the usual settings; the bytes for others could be anything.
    refused("lzma", &[(0, &[0x5d, 0, 0])], &["lzma", "tlz"]),
    refused("lzip", &[(0, b"LZIP\0"), (0, b"LZIP\x01")], &["lz"]),
    refused("lzop", &[(0, b"\x89LZO\0\r\n\x1a\n")], &["lzo", "lzop", "tzo"]),
    refused("snappy", &[(0, b"\xff\x06\0\0sNaPpY")], &["sz", "snappy"]),
    // Streams of brotli begin with any byte.
    refused("brotli", &[], &["br"]),
    refused("zlib", &[(0, &[0x78, 1]), (0, &[0x78, 0x9c])], &["zz", "zlib"]),
    // Both have the extension, one in capitals.
    refused("compress", &[(0, &[0x1f, 0x9d])], &["z", "taz"]),
    refused("pack", &[(0, &[0x1f, 0x1e])], &[]),
    refused("rar", &[(0, b"Rar!")], &["rar"]),
    refused("tar", &[(257, b"ustar\0"), (257, b"ustar ")], &["tar"]),
    refused("cpio", &[(0, &[0xc7, 0x71]), (0, &[0x71, 0xc7])], &["cpio"]),
    refused("ar", &[(0, b"!<arch>\n")], &["ar"]),
];

/// What backups and unfinished downloads put behind a name, beside numbers and days of rotation.
const BEHIND: [&str; 11] =
    ["old", "bak", "backup", "orig", "save", "saved", "tmp", "temp", "part", "partial", "copy"];

/// The packing that the first bytes of a file tell.
pub(crate) fn of_bytes(head: &[u8]) -> Option<&'static Packing> {
    let has = |(at, mark): &(usize, &[u8])| head.get(*at..).is_some_and(|it| it.starts_with(mark));
    let marked = PACKINGS.iter().find(|packing| packing.marks.iter().any(has));
    marked.or_else(|| match () {
        () if is_skippable(head) => named("zstd"),
        () if is_cpio_text(head) => named("cpio"),
        () => None,
    })
}

/// The packing that the name of a file tells: its extension, or that before what rotations and backups put behind it.
pub(crate) fn of_name(name: &Path) -> Option<&'static Packing> {
    let name = name.file_name()?.to_string_lossy().to_ascii_lowercase();
    let mut rest = &*name;
    loop {
        let (stem, extension) = rest.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        let extension = extension.trim_end_matches('~');
        if let Some(packing) = of_extension(extension) {
            return Some(packing);
        }
        let is_number = extension.chars().all(|it| it.is_ascii_digit() || "-_:".contains(it));
        if !is_number && !BEHIND.contains(&extension) {
            return None;
        }
        rest = stem;
    }
}

/// The packing of an extension, which may have a day or a number behind it, as in `gz-20240501` and `gz (1)`.
fn of_extension(extension: &str) -> Option<&'static Packing> {
    let has = |name: &str| PACKINGS.iter().find(|packing| packing.extensions.contains(&name));
    has(extension).or_else(|| {
        let (name, number) = extension.split_once(['-', '_', ' '])?;
        let is_number = number.chars().all(|it| it.is_ascii_digit() || "-_:()".contains(it));
        has(name).filter(|_| is_number)
    })
}

fn named(name: &str) -> Option<&'static Packing> {
    PACKINGS.iter().find(|packing| packing.name == name)
}

/// A frame of zstd with content for other tools.
fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [first, rest @ ..] if first >> 4 == 5 && rest.starts_with(&[0x2a, 0x4d, 0x18]))
}

/// The header of an archive of cpio in digits. Its first ones alone may be those of a day, `070701`.
fn is_cpio_text(head: &[u8]) -> bool {
    let has_digits = |length: usize| {
        head.get(..length).is_some_and(|header| header.iter().all(u8::is_ascii_hexdigit))
    };
    match head.get(..6) {
        Some(b"070701" | b"070702") => has_digits(110),
        Some(b"070707") => has_digits(76),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_packed_files_before_rotations_and_backups_too() {
        let told = |name: &str| of_name(Path::new(name)).map(|packing| packing.name);
        for (name, packing) in [
            ("web.log.gz", "gzip"),
            ("in.d/WEB.TGZ", "gzip"),
            ("web.gz.1", "gzip"),
            ("web.gz~", "gzip"),
            ("web.gz.3.old~", "gzip"),
            ("web.gz-20240501", "gzip"),
            ("web.gz (2)", "gzip"),
            ("web.zst.2024-05-01", "zstd"),
            ("web.tzst", "zstd"),
            ("web.bz2.bak", "bzip2"),
            ("web.tbz", "bzip2"),
            ("web.txz.tmp", "xz"),
            ("web.lz4.7", "lz4"),
            ("web.7z.save", "7z"),
            ("web.Z", "compress"),
            ("web.br", "brotli"),
            ("web.tar.part", "tar"),
        ] {
            assert_eq!(told(name), Some(packing), "{name}");
        }
        for name in ["web.log", "gz", ".gz", "web.gzip.log", "web.1", "web.log.old", "web.gz/a.log"]
        {
            assert_eq!(told(name), None, "{name}");
        }
    }

    #[test]
    fn bytes_tell_each_packing_that_has_a_mark() {
        let told = |head: &[u8]| of_bytes(head).map(|packing| packing.name);
        for packing in &PACKINGS {
            for (at, mark) in packing.marks {
                let head = [&vec![b'x'; *at][..], *mark].concat();
                assert_eq!(told(&head), Some(packing.name));
                assert!(head.len() <= MARKED_BYTES);
                assert_ne!(told(&head[..head.len() - 1]), Some(packing.name));
            }
        }
        assert_eq!(told(b"\x5e\x2a\x4d\x18"), Some("zstd"));
        assert_eq!(told(format!("070701{:0>104}", "1f").as_bytes()), Some("cpio"));
        assert_eq!(told(format!("070701 {:0>104}", "1f").as_bytes()), None);
        assert_eq!(told(b"{\"session\":\"s\"}"), None);
    }
}
