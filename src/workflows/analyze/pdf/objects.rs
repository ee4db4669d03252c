//! The objects of a PDF, found by scanning for them: a wrong table of contents cannot mislead us, and newer versions of
//! an object replace older ones. All that is read and unpacked comes out of one budget.

use super::values::{Dict, Reader, Value};
use flate2::read::ZlibDecoder;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read;

/// How many objects are read, and how many bytes they may have together, with their streams packed and unpacked.
const MAX_OBJECTS: usize = 200_000;
const MAX_BYTES: usize = 128 << 20;

/// What a stream costs at least, as a file can name an empty one millions of times; and what a byte of a value costs, as
/// values are larger in memory.
const MIN_STREAM: usize = 256;
const VALUE_COST: usize = 4;

/// Why a file whose objects use up the budget is not read.
pub(super) const TOO_LONG: &str = "it holds more than can be read";

/// The newest version of an object: the one that begins last in the file, by itself or in a pack.
struct Object<'a> {
    value: Value,
    stream: Option<&'a [u8]>,
    at: usize,
}

/// A parsed PDF.
pub(super) struct Objects<'a> {
    by_number: BTreeMap<u32, Object<'a>>,
    /// How many bytes may still be read.
    budget: Cell<usize>,
}

impl<'a> Objects<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let mut objects = Self { by_number: BTreeMap::new(), budget: Cell::new(MAX_BYTES) };
        for at in memchr::memmem::find_iter(bytes, b"obj") {
            let Some(number) = number_before(bytes, at) else { continue };
            if objects.by_number.len() >= MAX_OBJECTS {
                return Err(format!("it has over {MAX_OBJECTS} objects"));
            }
            let mut reader = Reader::new(bytes, at + 3);
            let value = reader.value();
            // Objects may begin within others, so together they can be much longer than the file.
            if !objects.spend(VALUE_COST * (reader.at - at)) {
                return Err(TOO_LONG.to_owned());
            }
            let Some(value) = value else { continue };
            let stream = match &value {
                Value::Dict(fields) => stream(bytes, reader, fields),
                _ => None,
            };
            objects.by_number.insert(number, Object { value, stream, at });
        }
        objects.unpack_object_streams();
        Ok(objects)
    }

    /// Adds the objects that are packed into streams.
    fn unpack_object_streams(&mut self) {
        let pack = |object: &Object<'a>| match &object.value {
            Value::Dict(fields) if fields.get("Type").and_then(Value::name) == Some("ObjStm") => {
                Some((object.at, fields.clone(), object.stream?))
            }
            _ => None,
        };
        let mut packs: Vec<(usize, Dict, &'a [u8])> = self.by_number.values().filter_map(pack).collect();
        packs.sort_unstable_by_key(|(pack, ..)| *pack);
        for (pack, fields, raw) in packs {
            let count =
                |key: &str| fields.get(key).and_then(Value::number).unwrap_or_default().max(0.0) as usize;
            let (Some(data), first) = (self.decode_stream(&fields, raw), count("First")) else { continue };
            let mut index = Reader::new(&data, 0);
            for _ in 0..count("N").min(MAX_OBJECTS) {
                let number = |reader: &mut Reader<'_>| reader.value().and_then(|one| one.number());
                let (Some(object), Some(offset)) = (number(&mut index), number(&mut index)) else { break };
                let at = first.saturating_add(offset.max(0.0) as usize);
                let mut reader = Reader::new(&data, at);
                let value = reader.value();
                if !self.spend(VALUE_COST * (reader.at - at)) {
                    return;
                }
                let number = object.max(0.0) as u32;
                if let Some(value) =
                    value.filter(|_| self.by_number.get(&number).is_none_or(|old| old.at < pack))
                {
                    self.by_number.insert(number, Object { value, stream: None, at: pack });
                }
            }
        }
    }

    /// Takes this many bytes from the budget; false if that uses it up.
    pub fn spend(&self, bytes: usize) -> bool {
        self.budget.set(self.budget.get().saturating_sub(bytes));
        !self.is_spent()
    }

    /// Whether something was left out because the budget is used up.
    pub fn is_spent(&self) -> bool {
        self.budget.get() == 0
    }

    /// The value behind any references.
    pub fn get<'s>(&'s self, value: &'s Value) -> Option<&'s Value> {
        let mut value = value;
        for _ in 0..16 {
            let Value::Ref(number) = value else { return Some(value) };
            value = &self.by_number.get(number)?.value;
        }
        None
    }

    pub fn dict<'s>(&'s self, value: Option<&'s Value>) -> Option<&'s Dict> {
        if let Value::Dict(fields) = self.get(value?)? { Some(fields) } else { None }
    }

    /// The bytes of a stream.
    pub fn stream(&self, value: &Value) -> Option<Vec<u8>> {
        let Value::Ref(number) = value else { return None };
        let object = self.by_number.get(number)?;
        let Value::Dict(fields) = &object.value else { return None };
        self.decode_stream(fields, object.stream?)
    }

    /// All dictionaries of a type, by number.
    pub fn of_type(&self, name: &str) -> impl Iterator<Item = (u32, &Dict)> {
        self.by_number.iter().filter_map(move |(number, object)| match &object.value {
            Value::Dict(fields) if fields.get("Type").and_then(Value::name) == Some(name) => {
                Some((*number, fields))
            }
            _ => None,
        })
    }

    fn decode_stream(&self, fields: &Dict, raw: &[u8]) -> Option<Vec<u8>> {
        let filters: Vec<&str> = match fields.get("Filter").and_then(|filter| self.get(filter)) {
            None => Vec::new(),
            Some(Value::Name(name)) => vec![name],
            Some(Value::List(all)) => all.iter().filter_map(Value::name).collect(),
            Some(_) => return None,
        };
        if !self.spend(raw.len().max(MIN_STREAM)) {
            return None;
        }
        let mut data = Cow::Borrowed(raw);
        for filter in filters {
            let unpacked = match filter {
                "FlateDecode" | "Fl" => {
                    let mut out = Vec::new();
                    let left = self.budget.get() as u64;
                    // A truncated stream is read as far as it goes.
                    let _ = ZlibDecoder::new(&*data).take(left).read_to_end(&mut out);
                    out
                }
                "ASCII85Decode" | "A85" => ascii85(&data),
                _ => return None,
            };
            self.spend(unpacked.len());
            data = Cow::Owned(unpacked);
        }
        Some(data.into_owned())
    }
}

/// The number of the object whose `obj` is at this position: `12 0 obj`.
fn number_before(bytes: &[u8], at: usize) -> Option<u32> {
    // `endobj` is a different word.
    let head = bytes.get(at.saturating_sub(24)..at)?;
    let head = std::str::from_utf8(head).ok().or_else(|| {
        let cut = head.iter().rposition(|byte| !byte.is_ascii())?;
        std::str::from_utf8(head.get(cut + 1..)?).ok()
    })?;
    let mut words = head.trim_end().rsplit(|c: char| c.is_ascii_whitespace());
    let ends_with_space = head.ends_with(|c: char| c.is_ascii_whitespace());
    let (generation, number) = (words.next()?, words.next()?);
    let trailing_number =
        |word: &str| word.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok();
    (ends_with_space && generation.parse::<u32>().is_ok()).then(|| trailing_number(number)).flatten()
}

/// The bytes of the stream that follows a dictionary.
fn stream<'a>(bytes: &'a [u8], mut reader: Reader<'a>, fields: &Dict) -> Option<&'a [u8]> {
    if reader.value()? != Value::Word("stream".to_owned()) {
        return None;
    }
    let mut from = reader.at;
    from += usize::from(bytes.get(from) == Some(&b'\r'));
    from += usize::from(bytes.get(from) == Some(&b'\n'));
    let length = fields.get("Length").and_then(Value::number).map(|length| length.max(0.0) as usize);
    if let Some(end) = length.and_then(|length| from.checked_add(length))
        && let Some(after) = bytes.get(end..)
        && after.trim_ascii_start().starts_with(b"endstream")
    {
        return bytes.get(from..end);
    }
    let rest = bytes.get(from..)?;
    rest.get(..memchr::memmem::find(rest, b"endstream")?)
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let (mut out, mut group) = (Vec::new(), Vec::new());
    let push = |group: &mut Vec<u8>, out: &mut Vec<u8>| {
        let missing = 5 - group.len();
        group.resize(5, 84);
        let number =
            group.iter().fold(0u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(u32::from(*digit)));
        out.extend(&number.to_be_bytes()[..4 - missing.min(4)]);
        group.clear();
    };
    for byte in data {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    push(&mut group, &mut out);
                }
            }
            _ => {}
        }
    }
    if group.len() > 1 {
        push(&mut group, &mut out);
    }
    out
}
