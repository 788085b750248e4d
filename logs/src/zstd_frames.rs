//! Inputs packed with zstd, read without C code.
//
// Idea: a packed input is one frame after another, with frames for other tools between them. The
// decoder reads one frame at a time; this reader goes from frame to frame.
//
// Invariant: bytes of a frame are handed out before its checksum is known, and a wrong checksum is
// an error of the reader, as for every damaged input.
//
// Cost: slower than the C library, which builds with the feature `columnar` have anyway,
// since Parquet needs it. Building that library was the longest step of a plain build.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

/// The largest window that is decoded, in bytes: that of the tool `zstd` without `--long`.
const MAX_WINDOW: u64 = 1 << 27;

/// The bytes in all frames of a reader.
pub(crate) struct ZstdFrames<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    /// Whether a frame has begun and its end was not seen yet.
    is_inside: bool,
}

impl<R: Read> ZstdFrames<R> {
    pub(crate) fn new(packed: R) -> ZstdFrames<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        ZstdFrames { source: BufReader::new(packed), decoder, is_inside: false }
    }

    /// Reads from the frame that has begun; 0 at its end.
    fn read_inside(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let one = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder.decode_blocks(&mut self.source, one).map_err(damaged)?;
        }
        self.decoder.read(buffer)
    }

    /// Ends a frame.
    fn close(&mut self) -> io::Result<()> {
        self.is_inside = false;
        let given = self.decoder.get_checksum_from_data();
        match given.is_none() || given == self.decoder.get_calculated_checksum() {
            true => Ok(()),
            false => Err(invalid("a checksum does not match")),
        }
    }

    /// Begins the next frame; false at the end of the input.
    fn open(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.is_inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => self.skip(u64::from(length))?,
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(false)
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
        if skipped < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

impl<R: Read> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() && (self.is_inside || self.open()?) {
            match self.read_inside(buffer)? {
                0 => self.close()?,
                read => return Ok(read),
            }
        }
        Ok(0)
    }
}

fn damaged(error: FrameDecoderError) -> io::Error {
    invalid(error)
}

fn invalid(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the data is damaged: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 3).expect("memory")
    }

    fn read(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        ZstdFrames::new(packed).read_to_end(&mut bytes).map(|_| bytes)
    }

    fn long() -> Vec<u8> {
        (0..400_000_u32)
            .flat_map(|number| (number.wrapping_mul(number) / 7).to_le_bytes())
            .collect()
    }

    #[test]
    fn frames_are_read_one_after_another() {
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let all = [&skippable[..], &packed(b"one "), &packed(b""), &skippable, &packed(&long())];
        assert_eq!(read(&all.concat()).expect("frames"), [&b"one "[..], &long()].concat());
        assert_eq!(read(b"").expect("no frame"), b"");
    }

    #[test]
    fn what_is_cut_or_damaged_is_an_error() {
        let whole = packed(&long());
        for end in [5, whole.len() / 2, whole.len() - 1] {
            assert!(read(&whole[..end]).is_err(), "cut at {end}");
        }
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("memory");
        encoder.include_checksum(true).expect("a checksum");
        io::copy(&mut &long()[..], &mut encoder).expect("memory");
        let mut checked = encoder.finish().expect("memory");
        assert!(read(&checked).is_ok());
        *checked.last_mut().expect("a checksum") ^= 1;
        assert!(read(&checked).expect_err("damage").to_string().contains("checksum"));
    }
}
