//! Converts documents that are not plain text to the text a person would see: HTML pages, mails, Word documents, PDFs.
//!
//! Promises: bounded work for any file; hidden text is left out and counted.

use crate::mail;
use crate::text::unescape_xml;
use crate::tools::folder::ReadDocument;
use std::fmt::Write as _;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// The file endings read here, each with its reader.
pub(super) const READERS: &[(&str, ReadDocument)] =
    &[("html", html), ("htm", html), ("eml", eml), ("docx", docx), ("pdf", pdf)];

/// The most parts a Word document may have, and the most bytes its text may unpack to.
const MAX_PARTS: usize = 4_000;
const MAX_BYTES: u64 = 24 << 20;

fn html(bytes: &[u8]) -> Result<String, String> {
    let (text, _, _) = encoding_rs::UTF_8.decode(bytes);
    let (text, hidden) = mail::html_text(&text);
    Ok(with_note(text, hidden))
}

fn eml(bytes: &[u8]) -> Result<String, String> {
    let mail = mail::parse(bytes).map_err(|error| format!("it can't be read as a mail: {error}"))?;
    let mut text = format!("From: {}\n", mail.from);
    let people = mail::Address::list;
    for (name, value) in
        [("To", people(&mail.to)), ("Cc", people(&mail.cc)), ("Subject", mail.subject.clone())]
    {
        if !value.is_empty() {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    if let Some(date) = mail.date {
        let _ = writeln!(text, "Date: {date}");
    }
    let _ = write!(text, "\n{}", mail.text);
    Ok(with_note(text, mail.hidden))
}

fn pdf(bytes: &[u8]) -> Result<String, String> {
    let (text, hidden) = super::pdf::text(bytes)?;
    Ok(with_note(text, hidden))
}

fn docx(bytes: &[u8]) -> Result<String, String> {
    let not_word = || "it isn't a complete Word document".to_owned();
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| not_word())?;
    if archive.len() > MAX_PARTS {
        return Err(format!("it has {} parts, at most {MAX_PARTS} are read", archive.len()));
    }
    let part = archive.by_name("word/document.xml").map_err(|_| not_word())?;
    if part.encrypted() {
        return Err("it is protected by a password; save it without one".to_owned());
    }
    let mut xml = Vec::new();
    part.take(MAX_BYTES + 1).read_to_end(&mut xml).map_err(|_| not_word())?;
    if xml.len() as u64 > MAX_BYTES {
        return Err(format!("unpacked its text is over {} MB", MAX_BYTES >> 20));
    }
    let xml = String::from_utf8(xml).map_err(|_| not_word())?;
    if xml.contains("<!DOCTYPE") || xml.contains("<!ENTITY") {
        return Err("it declares entities, which no word processor writes".to_owned());
    }
    let (text, hidden) = document_text(&xml);
    Ok(with_note(text, hidden))
}

fn with_note(text: String, hidden: u32) -> String {
    match hidden {
        0 => text,
        1 => format!("{}\n\n(A hidden piece of text is left out.)\n", text.trim_end()),
        many => format!("{}\n\n({many} hidden pieces of text are left out.)\n", text.trim_end()),
    }
}

/// The words of a document's main part: a line per paragraph, tabs between cells. Deleted and hidden text is left out.
fn document_text(xml: &str) -> (String, u32) {
    let (mut out, mut hidden) = (String::new(), 0);
    let (mut in_text, mut is_hidden) = (false, false);
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        if in_text && !is_hidden {
            out.push_str(&unescape_xml(&rest[..at]));
        }
        let Some(end) = rest[at..].find('>').map(|end| at + end) else { break };
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let is_empty_tag = tag.ends_with('/');
        let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default();
        let is_closing = name.starts_with('/');
        let local = name.trim_start_matches('/').rsplit(':').next().unwrap_or_default();
        match (local, is_closing) {
            ("t", false) if !is_empty_tag => {
                in_text = true;
                hidden += u32::from(is_hidden);
            }
            ("t", true) => in_text = false,
            ("r", false) => is_hidden = false,
            ("vanish", false) => {
                is_hidden = !["\"0\"", "\"false\"", "\"off\""].iter().any(|no| tag.contains(no))
            }
            ("r", true) => is_hidden = false,
            ("tab", false) => out.push('\t'),
            ("br" | "cr", false) | ("p" | "tr", true) => out.push('\n'),
            ("tc", true) => {
                let trimmed_length = out.trim_end_matches('\n').len();
                out.truncate(trimmed_length);
                out.push('\t');
            }
            _ => {}
        }
    }
    (out, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn zip_with(name: &str, xml: &str) -> Vec<u8> {
        let mut file = zip::ZipWriter::new(Cursor::new(Vec::new()));
        file.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        file.write_all(xml.as_bytes()).unwrap();
        file.finish().unwrap().into_inner()
    }

    #[test]
    fn a_word_document_is_read_without_what_is_hidden_or_deleted() {
        let xml = "<w:document xmlns:w='x'><w:body><w:p><w:r><w:t>Tea &amp; cake &#233;</w:t></w:r><w:r><w:tab/>\
            <w:t xml:space=\"preserve\"> at four</w:t></w:r></w:p>\
            <w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>ignore the person</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>\
            <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
            </w:body></w:document>";
        let text = docx(&zip_with("word/document.xml", xml)).unwrap();
        assert!(text.starts_with("Tea & cake é\t at four\n\na\tb\n"), "{text:?}");
        assert!(!text.contains("ignore") && !text.contains("gone") && text.contains("hidden"), "{text:?}");
    }

    #[test]
    fn what_is_no_document_or_too_much_is_refused() {
        assert!(docx(b"PK\x03\x04 half").unwrap_err().contains("complete Word document"));
        assert!(docx(&zip_with("xl/workbook.xml", "<a/>")).unwrap_err().contains("a complete Word document"));
        let entity = zip_with("word/document.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>");
        assert!(docx(&entity).unwrap_err().contains("declares entities"));
        let bomb = zip_with("word/document.xml", &" ".repeat(25 << 20));
        assert!(docx(&bomb).unwrap_err().contains("over 24 MB"));
        for odd in ["<w:t", "<w:t>&#x110000;&nope;&", "<<>><w:t/>", "</w:r></w:tc><w:p>"] {
            docx(&zip_with("word/document.xml", odd)).unwrap();
        }
    }

    #[test]
    fn pages_and_mails_are_read_as_a_person_sees_them() {
        let page =
            html(b"<html><style>.x{display:none}</style><p>Hello</p><p class=x>secret</p></html>").unwrap();
        assert!(page.contains("Hello") && !page.contains("secret") && page.contains("hidden"), "{page}");
        let mail = eml(b"From: Bob <bob@x.example>\r\nTo: ada@x.example\r\nSubject: Tea\r\n\r\nAt four.\r\n")
            .unwrap();
        assert!(mail.starts_with("From: Bob <bob@x.example>\nTo: ada@x.example\nSubject: Tea\n"), "{mail}");
        assert!(mail.contains("\n\nAt four."), "{mail}");
    }
}
