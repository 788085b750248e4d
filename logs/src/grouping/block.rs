//! Records of events as bytes: whose event it is, its number, and what is to be known of it.

/// Sessions are told apart by so many bits of their hash at a time.
pub(crate) const PART_BITS: u32 = 6;
/// How many parts there are.
pub(crate) const PARTS: usize = 1 << PART_BITS;

/// Events of some input, by parts. Threads make batches; their order is that of the input.
#[derive(Debug)]
pub struct Batch {
    /// Per part, records with numbers that count from the beginning of the batch. A batch of one
    /// part has them in order.
    pub(crate) parts: Vec<Vec<u8>>,
    /// How many numbers were given out.
    pub(crate) events: u32,
}

impl Batch {
    /// A batch for a store.
    pub fn by_session() -> Batch {
        Batch { parts: vec![Vec::new(); PARTS], events: 0 }
    }

    /// A batch that keeps the order of its events.
    pub fn in_order() -> Batch {
        Batch { parts: vec![Vec::new()], events: 0 }
    }

    /// The records of a batch in order.
    pub fn only_part(&self) -> &[u8] {
        self.parts.first().map_or(&[], Vec::as_slice)
    }

    /// Adds an event after the others: its session, and its content, which `write` appends.
    pub fn add(&mut self, session: &str, write: impl FnOnce(&mut Vec<u8>)) {
        let part = part_of(session.as_bytes(), 0) % self.parts.len();
        let part = &mut self.parts[part];
        put_number(part, u64::from(self.events));
        put_bytes(part, session.as_bytes());
        // The length goes before the content and is known after it.
        let start = part.len();
        part.extend([0; 4]);
        write(part);
        let length = (part.len() - start - 4) as u32;
        part[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.events += 1;
    }

    /// How many events it has.
    pub fn len(&self) -> u64 {
        u64::from(self.events)
    }
}

/// One event out of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its place among all events of the run, from 0.
    pub number: u64,
    /// The session as it is called.
    pub session: &'a [u8],
    /// What was written of it.
    pub content: &'a [u8],
}

/// The records of a block whose numbers count from `base`.
pub fn records(base: u64, bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let number = base + take_number(&mut rest);
        let session = take_bytes(&mut rest);
        let length = u32::from_le_bytes(take(&mut rest, 4).try_into().unwrap_or_default());
        let content = take(&mut rest, length as usize);
        Some(Record { number, session, content })
    })
}

/// The part that a session is of; each level looks at other bits of its hash. The hash is always
/// the same, so that parts do not depend on the run.
pub(crate) fn part_of(session: &[u8], level: u32) -> usize {
    // FNV-1a, then a multiplication that spreads its bits to the top.
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = session.iter().fold(0xcbf2_9ce4_8422_2325, fold);
    let spread = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread >> (u64::BITS - PART_BITS * (level + 1))) as usize % PARTS
}

/// Writes a number, seven bits a byte.
pub fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what [`put_number`] wrote.
pub fn take_number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else { break };
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// Writes bytes and how many they are.
pub fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put_number(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

/// Reads what [`put_bytes`] wrote.
pub fn take_bytes<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = take_number(bytes) as usize;
    take(bytes, length)
}

pub fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    taken
}
