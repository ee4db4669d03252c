//! LZ4, with the size before the bytes and, where there are any, bytes that are repeated as its dictionary.

/// Packs bytes; `repeats` are bytes they have much of.
pub(in crate::store) fn pack(bytes: &[u8], repeats: &[u8]) -> Vec<u8> {
    match repeats.is_empty() {
        true => lz4_flex::block::compress_prepend_size(bytes),
        false => lz4_flex::block::compress_prepend_size_with_dict(bytes, repeats),
    }
}

/// The bytes again, unless they are broken or claim to be more than `most`: a row that was changed may claim anything.
pub(in crate::store) fn unpack(packed: &[u8], repeats: &[u8], most: usize) -> Option<Vec<u8>> {
    let size = packed.first_chunk().map(|size| u32::from_le_bytes(*size) as usize)?;
    match repeats.is_empty() {
        _ if size > most => None,
        true => lz4_flex::block::decompress_size_prepended(packed).ok(),
        false => lz4_flex::block::decompress_size_prepended_with_dict(packed, repeats).ok(),
    }
}
