//! The one pass that turns raw text into visible text.
//!
//! Promises: linear time; a second pass changes nothing; hidden characters stay only where they are legitimate. Every
//! run of removed characters becomes one placeholder, so a million zero-width characters cost a few letters. Does not
//! look words up, normalise, or judge spelling.
//!
//! Each decision looks at the output so far and at the next raw character, and counts the next one only if it will stay
//! unchanged. That makes the pass idempotent.

use std::fmt::Write as _;

use super::emoji::is_pictographic;
use super::hidden::{is_hidden, is_mark, is_virama, joins};

/// Marks allowed on one base. Vietnamese needs two, pointed Hebrew five, deep Tibetan stacks six.
const MARKS_PER_BASE: usize = 6;

/// Joiners allowed in one emoji. A family of four needs three; a longer chain would be measured as one picture but
/// drawn as many, over whatever is next to it.
const JOINERS_PER_EMOJI: usize = 3;

const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';
const TEXT_STYLE: char = '\u{FE0E}';
const EMOJI_STYLE: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';

/// The flags of England, Scotland and Wales without their leading black flag.
///
/// Tag characters stay in these three sequences only: fonts draw any other as a plain black flag, which could hide a
/// word.
const FLAG_TAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// What happens to newlines and tabs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreaks {
    /// They stay; CRLF and a lone CR become a newline.
    Keep,
    /// Each becomes one space.
    Space,
}

/// Text after the pass, and how many characters were hidden.
pub(super) struct Sanitized {
    pub(super) text: String,
    pub(super) hidden: usize,
}

pub(super) fn sanitize(raw: &str, breaks: LineBreaks) -> Sanitized {
    let Some(start) = first_suspect(raw, breaks) else {
        return Sanitized { text: raw.to_owned(), hidden: 0 };
    };
    let mut pass = Pass {
        raw,
        breaks,
        out: String::with_capacity(raw.len() + 32),
        clean: 0,
        before: Before::Nothing,
        marks: 0,
        joiners: 0,
        run: None,
        hidden: 0,
    };
    let mut at = start;
    while let Some(c) = raw[at..].chars().next() {
        at += pass.take(at, c);
    }
    pass.flush(raw.len());
    pass.close_run();
    Sanitized { text: pass.out, hidden: pass.hidden }
}

/// Where the pass has to start: one character before the first that is not plain, since that one may be its base.
/// `None` for text that can be copied unchanged, which is nearly all text.
fn first_suspect(raw: &str, breaks: LineBreaks) -> Option<usize> {
    let is_plain = |c: char| match c {
        ' '..='~' => true,
        '\n' | '\t' => breaks == LineBreaks::Keep,
        _ => !is_hidden(c) && !is_mark(c),
    };
    if raw.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let mut previous = 0;
    for (at, c) in raw.char_indices() {
        if !is_plain(c) {
            return Some(previous);
        }
        previous = at;
    }
    None
}

/// The last character of the output, as far as the next one depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The start, a line's start, or a placeholder: marks have no base here and would land on a pane's border.
    Nothing,
    /// A visible character or a mark on one.
    Seen(char),
    /// A picture that has its variation selector.
    Styled,
    /// A joiner, or a whole flag: nothing may be attached to it.
    Closed,
}

struct Pass<'a> {
    raw: &'a str,
    breaks: LineBreaks,
    out: String,
    /// Everything of `raw` before this is in `out` or in the open run.
    clean: usize,
    before: Before,
    /// Marks so far on the current base.
    marks: usize,
    /// Joiners so far in the current emoji or word.
    joiners: usize,
    run: Option<Run>,
    hidden: usize,
}

/// Hidden characters in a row, waiting to become one placeholder.
struct Run {
    first: char,
    alike: bool,
    count: usize,
}

impl Pass<'_> {
    /// Decides about `c` at `at` and returns how many bytes were handled.
    fn take(&mut self, at: usize, c: char) -> usize {
        let after = at + c.len_utf8();
        let next = self.raw[after..].chars().next();
        match c {
            '\n' | '\t' | '\r' => {
                let end = if c == '\r' && next == Some('\n') { after + 1 } else { after };
                self.take_break(at, c, end);
                return end - at;
            }
            TEXT_STYLE | EMOJI_STYLE if self.may_style(c, next) => self.keep(at, Before::Styled),
            ZWJ | ZWNJ if self.may_join(c, next) => {
                self.joiners += 1;
                self.keep(at, Before::Closed);
            }
            '\u{E0067}' if self.before == Before::Seen('🏴') => {
                if let Some(tags) = FLAG_TAGS.iter().find(|tags| self.raw[at..].starts_with(**tags)) {
                    self.keep(at, Before::Closed);
                    return tags.len();
                }
                self.hide(at, c);
            }
            _ if is_hidden(c) => self.hide(at, c),
            _ if is_mark(c) => {
                if self.before != Before::Nothing && self.marks < MARKS_PER_BASE {
                    self.marks += 1;
                    self.keep(at, Before::Seen(c));
                } else {
                    self.hide(at, c);
                }
            }
            _ => {
                self.marks = 0;
                if self.before != Before::Closed && !is_skin_tone(c) {
                    self.joiners = 0;
                }
                self.keep(at, Before::Seen(c));
            }
        }
        c.len_utf8()
    }

    /// A selector stays right after a picture, or between a digit and its keycap.
    fn may_style(&self, selector: char, next: Option<char>) -> bool {
        let Before::Seen(base) = self.before else { return false };
        is_pictographic(base)
            || (selector == EMOJI_STYLE && matches!(base, '0'..='9' | '#' | '*') && next == Some(KEYCAP))
    }

    /// A joiner stays between two pictures, between two letters that join, and after a virama.
    fn may_join(&self, joiner: char, next: Option<char>) -> bool {
        let joins_pictures =
            joiner == ZWJ && self.joiners < JOINERS_PER_EMOJI && next.is_some_and(is_pictographic);
        match self.before {
            Before::Styled => joins_pictures,
            Before::Seen(base) if is_pictographic(base) || is_skin_tone(base) => joins_pictures,
            Before::Seen(base) if joins(base) => {
                is_virama(base)
                    || next.is_some_and(|next| joins(next) && (!is_mark(next) || self.marks < MARKS_PER_BASE))
            }
            Before::Seen(_) | Before::Nothing | Before::Closed => false,
        }
    }

    fn take_break(&mut self, at: usize, c: char, end: usize) {
        let (written, before) = match self.breaks {
            LineBreaks::Keep if c == '\t' => ('\t', Before::Nothing),
            LineBreaks::Keep => ('\n', Before::Nothing),
            LineBreaks::Space => (' ', Before::Seen(' ')),
        };
        self.marks = 0;
        if written == c {
            self.keep(at, before);
        } else {
            self.flush(at);
            self.close_run();
            self.out.push(written);
            self.before = before;
            self.clean = end;
        }
    }

    /// Keeps the character at `at`; it is copied later, together with its neighbours.
    fn keep(&mut self, at: usize, before: Before) {
        if self.run.is_some() {
            self.close_run();
            self.clean = at;
        }
        self.before = before;
    }

    fn hide(&mut self, at: usize, c: char) {
        self.hidden += 1;
        self.before = Before::Nothing;
        match &mut self.run {
            Some(run) => {
                run.count += 1;
                run.alike &= run.first == c;
            }
            None => {
                self.flush(at);
                self.run = Some(Run { first: c, alike: true, count: 1 });
            }
        }
    }

    /// Copies the kept text up to `end`. While a run is open there is none.
    fn flush(&mut self, end: usize) {
        if self.run.is_none() {
            self.out.push_str(&self.raw[self.clean..end]);
        }
        self.clean = end;
    }

    fn close_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let code = u32::from(run.first);
        // Writing to a String cannot fail.
        let _ = match run {
            Run { count: 1, .. } => write!(self.out, "⟨U+{code:04X}⟩"),
            Run { alike: true, count, .. } => write!(self.out, "⟨U+{code:04X}×{count}⟩"),
            Run { alike: false, count, .. } => write!(self.out, "⟨U+{code:04X}…×{count}⟩"),
        };
    }
}

fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}
