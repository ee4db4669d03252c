//! Which characters cannot be seen.
//!
//! Promises one predicate, [`is_hidden`], over single characters. Does not look at neighbours: `sanitize.rs` decides
//! where a hidden character is legitimate (a joiner inside an emoji).

use unicode_width::UnicodeWidthChar;

/// Whether `c` shows nothing by itself, steers the terminal, or reorders the text around it.
///
/// [`Visible`](super::Visible) never holds such a character, except newline, tab, and the joiners and selectors
/// inside well-formed emoji and joining scripts. Spaces of every width are not hidden: they are seen as space.
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    match code {
        0x00..=0x1F | 0x7F..=0x9F | 0xAD => true,
        0x20..=0x2FF => false,
        _ => is_ignorable(code) || is_invisible_sign(code) || is_meaningless(code),
    }
}

/// Unicode's `Default_Ignorable_Code_Point`: zero-width characters, bidi controls, variation selectors, fillers, tag
/// characters, and the unassigned code points reserved for more of them.
fn is_ignorable(code: u32) -> bool {
    matches!(
        code,
        0x034F                  // combining grapheme joiner
        | 0x061C                // Arabic letter mark
        | 0x115F..=0x1160       // Hangul fillers
        | 0x17B4..=0x17B5       // Khmer inherent vowels
        | 0x180B..=0x180F       // Mongolian variation selectors, vowel separator
        | 0x200B..=0x200F       // zero-width space, joiners, left-to-right and right-to-left marks
        | 0x202A..=0x202E       // bidi embeddings and overrides
        | 0x2060..=0x206F       // word joiner, invisible operators, bidi isolates
        | 0x3164                // Hangul filler
        | 0xFE00..=0xFE0F       // variation selectors
        | 0xFEFF                // byte order mark
        | 0xFFA0                // halfwidth Hangul filler
        | 0xFFF0..=0xFFF8       // unassigned, ignorable
        | 0x1BCA0..=0x1BCA3     // shorthand format controls
        | 0x1D173..=0x1D17A     // musical format controls
        | 0xE0000..=0xE0FFF     // tag characters, further variation selectors
    )
}

/// Characters that show nothing although Unicode does not call them ignorable.
fn is_invisible_sign(code: u32) -> bool {
    matches!(
        code,
        0x2028..=0x2029         // line and paragraph separator: a break for some readers, nothing for others
        | 0xFFF9..=0xFFFB       // interlinear annotation
        | 0x1107F               // Brahmi number joiner
        | 0x13430..=0x13440     // hieroglyph format controls
        | 0x16FE4               // Khitan filler
        | 0x1D159               // musical null notehead
    )
}

/// Private use and noncharacters: only the font decides how they look, so we cannot trust them to be seen.
fn is_meaningless(code: u32) -> bool {
    matches!(code, 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xF0000..) || code & 0xFFFE == 0xFFFE
}

/// Whether `c` is drawn onto the character before it: accents, vowel signs, trailing Hangul letters.
pub(super) fn is_mark(c: char) -> bool {
    u32::from(c) >= 0x300 && c.width() == Some(0) && !is_hidden(c)
}

/// Whether `c` is a letter or mark of a script whose letters join, where ZWJ and ZWNJ choose the form.
pub(super) fn joins(c: char) -> bool {
    is_joining_script(u32::from(c)) && (c.is_alphabetic() || is_mark(c))
}

/// Whether `c` ends a vowel; before a ZWJ it makes the half letters that end words in Malayalam and Sinhala.
pub(super) fn is_virama(c: char) -> bool {
    matches!(
        u32::from(c),
        0x094D | 0x09CD | 0x0A4D | 0x0ACD | 0x0B4D | 0x0BCD | 0x0C4D | 0x0CCD | 0x0D4D | 0x0DCA
    )
}

fn is_joining_script(code: u32) -> bool {
    matches!(
        code,
        0x0600..=0x077F         // Arabic, Syriac
        | 0x07C0..=0x07FF       // N'Ko
        | 0x0840..=0x08FF       // Mandaic, Syriac and Arabic extended
        | 0x0900..=0x0DFF       // Devanagari to Sinhala
        | 0x1000..=0x109F       // Myanmar
        | 0x1780..=0x18AF       // Khmer, Mongolian
        | 0x1B00..=0x1BBF       // Balinese, Sundanese
        | 0xA8E0..=0xA8FF       // Devanagari extended
        | 0xA980..=0xA9DF       // Javanese
        | 0x10D00..=0x10D3F     // Hanifi Rohingya
        | 0x11000..=0x11FFF     // Brahmi and its many children
        | 0x1E900..=0x1E95F     // Adlam
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hidden_kind_is_known() {
        let hidden = [
            0x00, 0x07, 0x09, 0x0A, 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160,
            0x17B4, 0x180B, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E,
            0x2060, 0x2064, 0x2065, 0x2066, 0x2069, 0x206F, 0x3164, 0xE000, 0xF8FF, 0xFDD0, 0xFE00, 0xFE0F,
            0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0xFFFE, 0xFFFF, 0x1FFFE, 0xE0001, 0xE0041, 0xE007F, 0xE0100,
            0xE01EF, 0xF0000, 0xFFFFF, 0x100000, 0x10FFFF,
        ];
        for code in hidden {
            assert!(is_hidden(char::from_u32(code).unwrap()), "U+{code:04X}");
        }
    }

    #[test]
    fn what_is_seen_is_not_hidden() {
        for c in " aZ~\u{A0}é×ßЖאبक漢한ｱ、‘’—…€⟨⟩\u{2003}\u{202F}\u{3000}\u{FFFD}\u{301}👩🏽🇫🏴".chars()
        {
            assert!(!is_hidden(c), "U+{:04X}", u32::from(c));
        }
    }

    /// The width tables know more zero-width characters; all of them must be hidden or a mark, so that none can be
    /// repeated without end.
    #[test]
    fn nothing_without_width_escapes() {
        for c in '\u{300}'..=char::MAX {
            if c.width().unwrap_or(0) == 0 {
                assert!(is_hidden(c) || is_mark(c), "U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn joining_letters_are_told_from_digits_and_latin() {
        assert!("بیکدন്്".chars().all(joins));
        assert!(!"a1٣،é漢\u{200D}\u{61C}".chars().any(joins));
        assert!(is_virama('\u{D4D}') && !is_virama('ക'));
    }
}
