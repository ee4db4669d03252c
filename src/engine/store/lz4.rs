//! LZ4 with the size before the bytes and an optional dictionary of repeated bytes.

/// Compresses bytes; `dictionary` is a dictionary of bytes they are likely to repeat.
pub fn pack(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    if dictionary.is_empty() {
        lz4_flex::block::compress_prepend_size(bytes)
    } else {
        lz4_flex::block::compress_prepend_size_with_dict(bytes, dictionary)
    }
}

/// Decompresses bytes. `None` if they are broken or claim to be more than `max_len`; a tampered row may claim anything.
pub fn unpack(packed: &[u8], dictionary: &[u8], max_len: usize) -> Option<Vec<u8>> {
    let size = packed.first_chunk().map(|size| u32::from_le_bytes(*size) as usize)?;
    if size > max_len {
        None
    } else if dictionary.is_empty() {
        lz4_flex::block::decompress_size_prepended(packed).ok()
    } else {
        lz4_flex::block::decompress_size_prepended_with_dict(packed, dictionary).ok()
    }
}
