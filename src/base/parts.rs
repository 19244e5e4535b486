//! Bytes in parts, of which some are made only when they are wanted, so that what is large and quickly made
//! never stands in memory as a whole.

/// Appends a part's bytes to a vector.
type Make<'a> = dyn Fn(&mut Vec<u8>) + Send + Sync + 'a;

/// A part of a whole.
pub enum Part<'a> {
    /// Bytes that are there.
    Bytes(&'a [u8]),
    /// The same, owned.
    Own(Vec<u8>),
    /// So many bytes, appended to a vector on demand, by any thread, and any number of times.
    Made(usize, Box<Make<'a>>),
}

impl Part<'_> {
    /// The number of bytes.
    pub fn size(&self) -> usize {
        match self {
            Part::Bytes(bytes) => bytes.len(),
            Part::Own(bytes) => bytes.len(),
            Part::Made(size, _) => *size,
        }
    }

    /// The bytes; what has to be made is made in `room`.
    pub fn bytes<'b>(&'b self, room: &'b mut Vec<u8>) -> &'b [u8] {
        match self {
            Part::Bytes(bytes) => bytes,
            Part::Own(bytes) => bytes,
            Part::Made(size, make) => {
                room.clear();
                make(room);
                debug_assert_eq!(room.len(), *size, "a part says how many bytes it has");
                room
            }
        }
    }
}

/// The whole, in one vector.
pub fn concat(parts: &[Part]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(Part::size).sum());
    for part in parts {
        match part {
            Part::Made(_, make) => make(&mut bytes),
            there => bytes.extend_from_slice(there.bytes(&mut Vec::new())),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_is_its_parts_in_order() {
        let made = Part::Made(3, Box::new(|out| out.extend_from_slice(b"cde")));
        let parts = [Part::Bytes(b"ab"), made, Part::Own(b"f".to_vec())];
        assert_eq!(concat(&parts), b"abcdef");
        let mut room = b"old".to_vec();
        let each: Vec<(usize, Vec<u8>)> =
            parts.iter().map(|part| (part.size(), part.bytes(&mut room).to_vec())).collect();
        assert_eq!(each, [(2, b"ab".to_vec()), (3, b"cde".to_vec()), (1, b"f".to_vec())]);
    }
}
