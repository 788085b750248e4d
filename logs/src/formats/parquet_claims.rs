//! The sizes that the footer of a Parquet file claims for its own lists, compared with those that are there.

// The decoder skips a list that it does not know element by element, and some elements take no bytes: a length of a few
// bytes would have it count for seconds, and a footer can have thousands of such lists. So the footer is walked first
// (Thrift, compact protocol): every element is a byte at least. Lists of truth values, and maps, no footer has.

/// The length of the footer and the magic stand behind it.
pub(super) const FILE_END: u64 = 8;

/// How deep values may be in one another: some more than the format has.
const DEEPEST: usize = 32;

/// The length of the first value of the wire format (a struct) in some bytes.
pub(super) fn struct_length(bytes: &[u8]) -> Result<usize, String> {
    let mut footer = Footer { rest: bytes };
    footer.skip(STRUCT, DEEPEST)?;
    Ok(bytes.len() - footer.rest.len())
}

/// The length of a Bloom filter with its header, whose first field says how many bytes follow it.
pub(super) fn filter_length(bytes: &[u8]) -> Result<usize, String> {
    const FIRST_NUMBER: u8 = 1 << 4 | 5;
    let mut header = Footer { rest: bytes };
    if header.byte()? != FIRST_NUMBER {
        return Err("a Bloom filter without its size".to_owned());
    }
    // The lowest bit is the sign.
    let size = header.number()? >> 1;
    Ok(struct_length(bytes)?.saturating_add(size))
}

/// Checks the lists of a footer.
pub(super) fn check_footer(footer: &[u8]) -> Result<(), String> {
    Footer { rest: footer }.skip(STRUCT, DEEPEST)
}

/// Where the footer ends that stands before the last bytes of a file, and how long it says it is.
pub(super) fn footer_length(end: &[u8]) -> u64 {
    end.first_chunk().copied().map_or(0, u32::from_le_bytes).into()
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

struct Footer<'a> {
    rest: &'a [u8],
}

impl Footer<'_> {
    fn skip(&mut self, kind: u8, deepest: usize) -> Result<(), String> {
        let deeper = deepest.checked_sub(1).ok_or("values too deep in one another")?;
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            SHORT..=LONG => self.number().map(drop),
            DOUBLE => self.take(8),
            BINARY => {
                let length = self.number()?;
                self.take(length)
            }
            LIST | SET => self.skip_list(deeper),
            STRUCT => self.skip_fields(deeper),
            _ => Err(format!("a value of the kind {kind}, which no footer has")),
        }
    }

    fn skip_fields(&mut self, deepest: usize) -> Result<(), String> {
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            // Without a distance from the field before, the number of the field follows.
            if head >> 4 == 0 {
                self.number()?;
            }
            self.skip(head & 0xf, deepest)?;
        }
    }

    fn skip_list(&mut self, deepest: usize) -> Result<(), String> {
        let head = self.byte()?;
        let count = if head >> 4 == 0xf { self.number()? } else { usize::from(head >> 4) };
        let kind = head & 0xf;
        if count > self.rest.len() {
            let left = self.rest.len();
            return Err(format!("a list of {count} elements, and {left} bytes are left"));
        }
        if count > 0 && matches!(kind, TRUE | FALSE) {
            return Err("a list of truth values, which no footer has".to_owned());
        }
        (0..count).try_for_each(|_| self.skip(kind, deepest))
    }

    fn byte(&mut self) -> Result<u8, String> {
        let (&first, rest) = self.rest.split_first().ok_or("the footer is cut off")?;
        self.rest = rest;
        Ok(first)
    }

    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.rest = self.rest.get(bytes..).ok_or("the footer is cut off")?;
        Ok(())
    }

    /// A number of seven bits a byte, the lowest first. Bits beyond 64 are lost, since the number is too large anyway.
    fn number(&mut self) -> Result<usize, String> {
        let mut number = 0_usize;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_their_footer_cannot_hold_are_refused() {
        // A struct with one field: a list with this count, of elements of this kind.
        let list = |count: &[u8], kind: u8, elements: &[u8]| {
            let mut footer = vec![0x19, 0xf0 | kind];
            footer.extend_from_slice(count);
            footer.extend_from_slice(elements);
            footer.push(0);
            check_footer(&footer)
        };
        assert_eq!(list(&[2], BYTE, &[7, 8]), Ok(()));
        assert_eq!(list(&[2], SHORT, &[0x87, 1, 8]), Ok(()));
        assert_eq!(list(&[0], TRUE, &[]), Ok(()));
        let long = list(&[0xff, 0xff, 0xff, 0xff, 0x7], BYTE, &[7]);
        assert_eq!(long, Err("a list of 2147483647 elements, and 2 bytes are left".to_owned()));
        assert!(list(&[2], TRUE, &[1, 1]).is_err());
        assert!(list(&[2], LIST, &[0x13, 1, 0x23, 1]).is_err());
        assert_eq!(list(&[2], LIST, &[0x13, 1, 0x23, 1, 2]), Ok(()));
        assert!(check_footer(&[LIST | 0x10; 1_000]).is_err());
    }
}
