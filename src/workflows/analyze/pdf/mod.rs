//! The text of a PDF: what its pages show, in drawing order, with a new line for each change of height.
//!
//! Promises: what is read, unpacked and given back is bounded for any file; text that is drawn invisibly is left out
//! and counted. Scanned text is not read, nor are files protected by a password.

mod fonts;
mod objects;
mod values;

use fonts::Font;
use objects::Objects;
use std::collections::{BTreeMap, BTreeSet};
use values::{Dict, Reader, Value};

/// The longest text and the most pages that are read, how deep forms may nest, and how many drawing states may be kept.
const MAX_TEXT: usize = 4 << 20;
const MAX_PAGES: usize = 5_000;
const MAX_FORM_DEPTH: usize = 6;
const MAX_STATES: usize = 1_000;

/// The text, and the number of hidden pieces.
pub(super) fn text(bytes: &[u8]) -> Result<(String, u32), String> {
    let head = bytes.get(..bytes.len().min(1_024)).unwrap_or_default();
    if memchr::memmem::find(head, b"%PDF-").is_none() {
        return Err("it isn't a PDF".to_owned());
    }
    if memchr::memmem::find(bytes, b"/Encrypt").is_some() {
        return Err("it is protected; save it without a password".to_owned());
    }
    let objects = Objects::read(bytes)?;
    let mut page = Page { objects: &objects, out: String::new(), hidden: 0, fonts: BTreeMap::new() };
    for (fields, resources) in pages(&objects) {
        let streams = match fields.get("Contents") {
            Some(Value::List(all)) => all.clone(),
            Some(one) => match objects.get(one) {
                Some(Value::List(all)) => all.clone(),
                _ => vec![one.clone()],
            },
            None => Vec::new(),
        };
        let content: Vec<u8> =
            streams.iter().filter_map(|one| objects.stream(one)).collect::<Vec<_>>().join(&b"\n"[..]);
        page.draw(&content, resources, Pen::default(), 0);
        page.end_line();
        page.out.push('\n');
        if page.out.len() > MAX_TEXT {
            break;
        }
    }
    if page.out.trim().is_empty() {
        let scan = "it holds no text that can be read; it may be a scan";
        return Err(if objects.is_spent() { objects::TOO_LONG } else { scan }.to_owned());
    }
    if page.out.len() > MAX_TEXT || objects.is_spent() {
        page.out.push_str("[The rest is left out: it is too long.]\n");
    }
    Ok((page.out, page.hidden))
}

/// The pages in order, each with its resources.
fn pages<'o>(objects: &'o Objects<'_>) -> Vec<(&'o Dict, Option<&'o Dict>)> {
    let mut pages = Vec::new();
    let mut seen = BTreeSet::new();
    if let Some((_, catalog)) = objects.of_type("Catalog").last()
        && let Some(root) = catalog.get("Pages")
    {
        collect_pages(objects, root, None, &mut seen, &mut pages, 0);
    }
    if pages.is_empty() {
        pages =
            objects.of_type("Page").map(|(_, page)| (page, objects.dict(page.get("Resources")))).collect();
    }
    pages.truncate(MAX_PAGES);
    pages
}

fn collect_pages<'o>(
    objects: &'o Objects<'_>,
    node: &'o Value,
    inherited: Option<&'o Dict>,
    seen: &mut BTreeSet<u32>,
    pages: &mut Vec<(&'o Dict, Option<&'o Dict>)>,
    depth: usize,
) {
    let is_repeated = matches!(node, Value::Ref(number) if !seen.insert(*number));
    if is_repeated || depth > 48 || pages.len() >= MAX_PAGES {
        return;
    }
    let Some(fields) = objects.dict(Some(node)) else { return };
    let resources = objects.dict(fields.get("Resources")).or(inherited);
    match fields.get("Kids").and_then(|kids| objects.get(kids)) {
        Some(Value::List(kids)) => {
            kids.iter().for_each(|kid| collect_pages(objects, kid, resources, seen, pages, depth + 1))
        }
        _ => pages.push((fields, resources)),
    }
}

struct Page<'o> {
    objects: &'o Objects<'o>,
    out: String,
    hidden: u32,
    fonts: BTreeMap<u32, std::rc::Rc<Font>>,
}

/// The drawing state.
#[derive(Clone, Default)]
struct Pen {
    font: Option<std::rc::Rc<Font>>,
    is_invisible: bool,
    height: f64,
}

impl<'o> Page<'o> {
    fn draw(&mut self, content: &[u8], resources: Option<&'o Dict>, mut pen: Pen, depth: usize) {
        let mut reader = Reader::new(content, 0);
        let mut operands: Vec<Value> = Vec::new();
        let mut kept: Vec<Pen> = Vec::new();
        while let Some(value) = reader.value() {
            let Value::Word(word) = value else {
                operands.push(value);
                if operands.len() > 1_000 {
                    operands.clear();
                }
                continue;
            };
            match word.as_str() {
                "BI" => {
                    // An inline picture; its bytes are not operators.
                    let rest = content.get(reader.at..).unwrap_or_default();
                    reader.at += memchr::memmem::find(rest, b"EI").map_or(rest.len(), |at| at + 2);
                }
                "q" if kept.len() >= MAX_STATES => return,
                "q" => kept.push(pen.clone()),
                "Q" => pen = kept.pop().unwrap_or(pen),
                word => self.operate(word, &operands, &mut pen, resources, depth),
            }
            operands.clear();
            if self.out.len() > MAX_TEXT {
                return;
            }
        }
    }

    fn operate(
        &mut self,
        word: &str,
        operands: &[Value],
        pen: &mut Pen,
        resources: Option<&'o Dict>,
        depth: usize,
    ) {
        let number = |at: usize| operands.get(at).and_then(Value::number).unwrap_or_default();
        match word {
            "Tf" => {
                let fonts = self.objects.dict(resources.and_then(|all| all.get("Font")));
                let font = operands.first().and_then(Value::name).and_then(|name| fonts?.get(name));
                pen.font = font.map(|font| self.font(font));
            }
            // Neither drawn nor outlined; 7 only clips what is drawn later.
            "Tr" => pen.is_invisible = matches!(number(0), 3.0 | 7.0),
            "Td" | "TD" if number(1) != 0.0 => self.end_line(),
            "Td" | "TD" => self.space(),
            "Tm" => {
                if (number(5) - pen.height).abs() > 1.0 {
                    self.end_line();
                } else {
                    self.space();
                }
                pen.height = number(5);
            }
            "T*" | "ET" => self.end_line(),
            "Tj" => self.show(operands.first(), pen),
            "'" | "\"" => {
                self.end_line();
                self.show(operands.last(), pen);
            }
            "TJ" => {
                let Some(Value::List(parts)) = operands.first() else { return };
                for part in parts {
                    match part {
                        Value::Number(gap) if *gap < -180.0 => self.space(),
                        part => self.show(Some(part), pen),
                    }
                }
            }
            "Do" if depth < MAX_FORM_DEPTH => {
                let forms = self.objects.dict(resources.and_then(|all| all.get("XObject")));
                let form = operands.first().and_then(Value::name).and_then(|name| forms?.get(name));
                let Some(fields) = form.and_then(|form| self.objects.dict(Some(form))) else { return };
                if fields.get("Subtype").and_then(Value::name) == Some("Form")
                    && let Some(content) = form.and_then(|form| self.objects.stream(form))
                {
                    let form_resources = self.objects.dict(fields.get("Resources")).or(resources);
                    self.draw(&content, form_resources, pen.clone(), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn font(&mut self, font: &'o Value) -> std::rc::Rc<Font> {
        let number = if let Value::Ref(number) = font { Some(*number) } else { None };
        if let Some(cached) = number.and_then(|number| self.fonts.get(&number)) {
            return cached.clone();
        }
        let loaded = std::rc::Rc::new(Font::read(self.objects, self.objects.dict(Some(font))));
        if let Some(number) = number {
            self.fonts.insert(number, loaded.clone());
        }
        loaded
    }

    fn show(&mut self, value: Option<&Value>, pen: &Pen) {
        let Some(Value::Text(codes)) = value else { return };
        let text = match &pen.font {
            Some(font) => font.text(codes, MAX_TEXT),
            None => Font::default().text(codes, MAX_TEXT),
        };
        if pen.is_invisible {
            self.hidden += u32::from(!text.trim().is_empty());
        } else {
            self.out.push_str(&text);
        }
    }

    fn space(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
        }
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    /// A PDF with one page that draws `content`, compressed or not.
    fn pdf_drawing(content: &[u8], packed: bool, font: &str, more: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        let (data, filter) = if packed {
            (encoder.finish().unwrap(), "/Filter /FlateDecode ")
        } else {
            (content.to_vec(), "")
        };
        let mut out = b"%PDF-1.5\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
            2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 /Resources << /Font << /F1 5 0 R >> >> >> endobj\n\
            3 0 obj << /Type /Page /Parent 2 0 R /Contents [4 0 R] >> endobj\n"
            .to_vec();
        write!(out, "5 0 obj {font} endobj\n4 0 obj << {filter}/Length {} >>\nstream\n", data.len()).unwrap();
        out.extend(data);
        out.extend(b"\nendstream endobj\n");
        out.extend(more);
        out
    }

    const PLAIN: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

    #[test]
    fn text_is_read_by_lines_packed_or_not() {
        let content =
            b"BT /F1 12 Tf 1 0 0 1 50 700 Tm (Tea \\(green\\) ) Tj [(and) -250 (ca) 20 (ke)] TJ 0 -14 Td (caf\\351) Tj ET";
        for packed in [false, true] {
            let (text, hidden) = text(&pdf_drawing(content, packed, PLAIN, b"")).unwrap();
            assert!(text.starts_with("Tea (green) and cake\n") && text.contains("café"), "{text:?}");
            assert_eq!(hidden, 0);
        }
    }

    #[test]
    fn a_font_s_own_table_counts_and_what_is_invisible_is_left_out() {
        let table = b"1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0001> <0042> <0002> <006f> \
            endbfchar 1 beginbfrange <0010> <0012> <0061> endbfrange";
        let more =
            [b"6 0 obj << /Length 9999 >> stream\n".as_slice(), table, b"\nendstream endobj\n"].concat();
        let font = "<< /Type /Font /Subtype /Type0 /ToUnicode 6 0 R >>";
        let content = b"BT /F1 9 Tf <00010002> Tj <001000110012> Tj 3 Tr <0001> Tj ET";
        let (text, hidden) = text(&pdf_drawing(content, true, font, &more)).unwrap();
        assert_eq!((text.trim(), hidden), ("Boabc", 1));
    }

    #[test]
    fn what_is_invisible_stays_so_within_what_is_kept_and_in_forms() {
        let form = b"6 0 obj << /Subtype /Form /Length 12 >> stream\nBT (f) Tj ET\nendstream endobj\n\
            7 0 obj << /Type /Page /Resources << /XObject << /X 6 0 R >> >> /Contents 4 0 R >> endobj\n\
            2 0 obj << /Type /Pages /Kids [7 0 R] >> endobj\n";
        for (content, expected) in [
            ("BT (a) Tj 7 Tr (b) Tj 0 Tr (c) Tj ET", ("ac", 1)),
            ("3 Tr q 0 Tr BT (a) Tj ET Q BT (b) Tj ET", ("a", 1)),
            ("q 3 Tr BT (b) Tj ET Q BT (a) Tj ET Q", ("a", 1)),
            ("BT (a) Tj ET 3 Tr /X Do", ("a", 1)),
            ("/X Do q 3 Tr Q /X Do", ("f\nf", 0)),
        ] {
            let (text, hidden) = text(&pdf_drawing(content.as_bytes(), false, PLAIN, form)).unwrap();
            assert_eq!((text.trim(), hidden), expected, "{content}");
        }
    }

    #[test]
    fn the_newest_version_of_an_object_counts_wherever_it_is() {
        let drawing = |number: u32, text: &str| {
            let content = format!("BT ({text}) Tj ET");
            format!("{number} 0 obj << /Length {} >> stream\n{content}\nendstream endobj\n", content.len())
        };
        let page = |contents: u32| format!("<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R >>");
        let packed = |number: u32, page: &str| {
            let data = format!("3 0 {page}");
            let head = format!("{number} 0 obj << /Type /ObjStm /N 1 /First 4 /Length {} >>", data.len());
            format!("{head} stream\n{data}\nendstream endobj\n")
        };
        let plain = |page: &str| format!("3 0 obj {page} endobj\n");
        let texts = [drawing(6, "second"), drawing(7, "third")].concat();
        for (changes, expected) in [
            (vec![packed(9, &page(6))], "second"),
            (vec![packed(9, &page(6)), packed(8, &page(7))], "third"),
            (vec![packed(8, &page(6)), plain(&page(7))], "third"),
        ] {
            let more = [texts.clone(), changes.concat()].concat();
            let pdf = pdf_drawing(b"BT (first) Tj ET", false, PLAIN, more.as_bytes());
            assert_eq!(text(&pdf).unwrap().0.trim(), expected, "{more}");
        }
    }

    #[test]
    fn what_is_repeated_comes_out_of_one_budget() {
        let nested: String = (10..60_000).map(|n| format!("{n} 0 obj (")).collect();
        let error = text(&pdf_drawing(b"BT (x) Tj ET", false, PLAIN, nested.as_bytes())).unwrap_err();
        assert_eq!(error, objects::TOO_LONG);

        // Every object of the pack is the same long one; then every page draws the same long stream.
        let index: String = (10..20_000).map(|n| format!("{n} 0 ")).collect();
        let data = format!("{index}({})", "1 ".repeat(90_000));
        let head = format!("6 0 obj << /Type /ObjStm /N 19990 /First {} ", index.len());
        let pack = format!("{head} /Length {} >> stream\n{data}\nendstream endobj\n", data.len());
        let error = text(&pdf_drawing(b"BT (x) Tj ET", false, PLAIN, pack.as_bytes())).unwrap_err();
        assert_eq!(error, objects::TOO_LONG);

        let again = format!(
            "2 0 obj << /Type /Pages /Kids [7 0 R] >> endobj 7 0 obj << /Type /Page /Contents [{}] >> endobj",
            "4 0 R ".repeat(90_000)
        );
        let long = [b"BT (x) Tj ET ".as_slice(), &b" ".repeat(1 << 20)].concat();
        let (text, _) = text(&pdf_drawing(&long, false, PLAIN, again.as_bytes())).unwrap();
        assert!(
            text.len() < 1_000 && text.ends_with("[The rest is left out: it is too long.]\n"),
            "{text:.200}"
        );
    }

    #[test]
    fn scans_protected_files_bombs_and_loops_are_refused_or_end() {
        assert!(text(b"hello").unwrap_err().contains("isn't a PDF"));
        assert!(text(&pdf_drawing(b"0 0 m", false, PLAIN, b"")).unwrap_err().contains("scan"));
        let locked = pdf_drawing(b"BT (x) Tj ET", false, PLAIN, b"trailer << /Encrypt 9 0 R >>");
        assert!(text(&locked).unwrap_err().contains("protected"));
        let loops = b"%PDF-1.4 1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj 2 0 obj << /Kids [2 0 R 2 0 R] >> endobj";
        assert!(text(loops).is_err());
        let bomb = pdf_drawing(&vec![b' '; 80 << 20], true, PLAIN, b"");
        assert!(text(&bomb).is_err());
        let deep = pdf_drawing(&b"[".repeat(100_000), false, PLAIN, b"");
        assert!(text(&deep).is_err());
    }
}
