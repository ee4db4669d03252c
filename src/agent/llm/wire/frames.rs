//! Splits bytes into frames: server-sent events, JSON lines, or one whole body. The length of a line is capped.

use super::Fault;

/// The longest line, and the longest frame of several lines.
const MAX_LINE: usize = 2 << 20;

/// How a stream is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `data:` lines ended by an empty one.
    Events,
    /// One frame per line.
    Lines,
    /// Everything is one frame: the server does not stream.
    Whole,
}

/// The bytes so far that do not yet make a frame.
pub(super) struct Frames {
    framing: Framing,
    line: Vec<u8>,
    data: String,
    after_cr: bool,
}

impl Frames {
    pub fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), data: String::new(), after_cr: false }
    }

    /// Takes bytes, however the network split them, and returns the frames that are now complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, Fault> {
        let mut frames = Vec::new();
        if self.framing == Framing::Whole {
            // The cap on the whole body applies here.
            self.line.extend_from_slice(bytes);
            return Ok(frames);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            // CR, LF and CR LF each end a line.
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, more) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + line.len() > MAX_LINE {
                return Err(too_long());
            }
            self.line.extend_from_slice(line);
            rest = more;
            if let Some((stop, more)) = more.split_first() {
                self.after_cr = *stop == b'\r';
                self.end_line(&mut frames)?;
                rest = more;
            }
        }
        Ok(frames)
    }

    /// What is left at the end of the stream, since servers forget the last line break.
    pub fn rest(mut self) -> Vec<String> {
        let mut frames = Vec::new();
        if self.framing == Framing::Whole {
            frames.push(String::from_utf8_lossy(&self.line).into_owned());
        } else if self.end_line(&mut frames).is_ok() {
            self.end_event(&mut frames);
        }
        frames
    }

    fn end_line(&mut self, frames: &mut Vec<String>) -> Result<(), Fault> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        match self.framing {
            Framing::Lines if !line.trim().is_empty() => frames.push(line.to_owned()),
            Framing::Lines | Framing::Whole => {}
            Framing::Events if line.is_empty() => self.end_event(frames),
            Framing::Events => {
                // Event names and ids are not needed: every provider repeats the kind in its data.
                if let Some(data) = line.strip_prefix("data:") {
                    if self.data.len() + data.len() > MAX_LINE {
                        return Err(too_long());
                    }
                    if !self.data.is_empty() {
                        self.data.push('\n');
                    }
                    self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
                }
            }
        }
        Ok(())
    }

    fn end_event(&mut self, frames: &mut Vec<String>) {
        if !self.data.is_empty() {
            frames.push(std::mem::take(&mut self.data));
        }
    }
}

fn too_long() -> Fault {
    Fault::TooLarge(format!("a line of it is longer than {} MB", MAX_LINE >> 20))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(framing: Framing, chunks: &[&[u8]]) -> Vec<String> {
        let mut frames = Frames::new(framing);
        let mut out: Vec<String> = chunks.iter().flat_map(|chunk| frames.feed(chunk).unwrap()).collect();
        out.extend(frames.rest());
        out
    }

    #[test]
    fn events_in_every_line_ending() {
        let text =
            "\u{feff}: hello\r\nevent: x\r\ndata: {\"a\":1}\r\n\r\ndata:{\"b\":\ndata: 2}\n\ndata: [DONE]";
        assert_eq!(all(Framing::Events, &[text.as_bytes()]), ["{\"a\":1}", "{\"b\":\n2}", "[DONE]"]);
        assert_eq!(all(Framing::Events, &[b"data: 1\r\rdata: 2\r\r"]), ["1", "2"]);
    }

    #[test]
    fn lines_and_whole_bodies() {
        assert_eq!(all(Framing::Lines, &[b"{\"a\":1}\n\n{\"b\"", b":2}"]), ["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(all(Framing::Whole, &[b"{\n", b"}"]), ["{\n}"]);
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut frames = Frames::new(Framing::Events);
        let chunk = vec![b'x'; 1 << 20];
        let outcome: Result<Vec<_>, _> = (0..4).map(|_| frames.feed(&chunk)).collect();
        assert!(matches!(outcome, Err(Fault::TooLarge(_))));
    }

    proptest! {
        #[test]
        fn frames_do_not_depend_on_how_the_network_cuts(text in "(data: [a-zé]{0,8}(\r\n|\n|\r){1,2}){0,6}", at in 0usize..64) {
            let bytes = text.as_bytes();
            let at = at.min(bytes.len());
            prop_assert_eq!(all(Framing::Events, &[bytes]), all(Framing::Events, &[&bytes[..at], &bytes[at..]]));
        }
    }
}
