//! Turns HTML mail into the text a person would see.
//!
//! Promises: linear time, even for deep nesting; text made invisible by a style is dropped and counted; links keep
//! their real targets; pictures become their alternative text. Nothing is fetched, and scripts are not read.
//!
//! This is not a browser: it knows which tags begin a line, a list or a quote, and which styles hide text. Layout is
//! ignored on purpose, since mails use tables for it.

mod attributes;
mod style;
mod token;
mod values;
mod writer;

#[cfg(test)]
mod tests;

use super::Link;
use super::links;
use crate::text::Visible;
use attributes::Attributes;
use style::{Declarations, Element, Look, Sheet};
use token::{Name, Token, tokens};
use writer::Writer;

/// The most HTML that is read, in bytes.
const MAX_HTML: usize = 3 << 20;
/// The most links kept.
const MAX_LINKS: usize = 1_000;
/// How many open elements we check to find the one that an end tag closes.
const NEAR: usize = 64;

/// How much hidden text is kept, in bytes.
const MAX_UNSEEN: usize = 16 << 10;

/// The visible content of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// The text; not yet Visible.
    pub text: String,
    /// How many pieces of text are hidden.
    pub hidden: u32,
    /// The beginning of all hidden text; not yet Visible.
    pub unseen: String,
    pub links: Vec<Link>,
    /// Whether the page was longer than we read.
    pub cut: bool,
}

pub(super) fn page(html: &str) -> Page {
    let mut input = &html[..html.floor_char_boundary(MAX_HTML)];
    if input.len() < html.len()
        && let Some(half) = input.rfind('<')
    {
        input = &input[..half];
    }
    let mut sheet = Sheet::default();
    // Style sheets apply wherever they appear, so we collect them first.
    let is_style = |tag: &str| tag.get(..5).is_some_and(|name| name.eq_ignore_ascii_case("style"));
    if input.split('<').any(is_style) {
        tokens(input).for_each(|token| {
            if let Token::Style(css) = token {
                sheet.add(css);
            }
        });
    }
    let mut reader = Reader {
        looks: vec![Look::default()],
        sheet,
        open: Vec::new(),
        elements: Vec::new(),
        out: Writer::default(),
        link: None,
        links: Vec::new(),
        hidden: 0,
        unseen: String::new(),
        in_hidden: false,
        lists: Vec::new(),
    };
    for token in tokens(input) {
        match token {
            Token::Text(text) => reader.text(text),
            Token::Start { name, attributes } => reader.start(name, attributes),
            Token::End(name) => reader.end(name),
            Token::Comment(text) => reader.comment(text),
            Token::Style(_) => {}
        }
    }
    reader.end_link();
    Page {
        text: reader.out.finish(),
        hidden: reader.hidden,
        unseen: reader.unseen,
        links: reader.links,
        cut: input.len() < html.len(),
    }
}

struct Reader<'a> {
    sheet: Sheet<'a>,
    /// The look of the page and of every open element.
    looks: Vec<Look>,
    open: Vec<OpenElement>,
    elements: Vec<Element<'a>>,
    out: Writer,
    link: Option<Anchor>,
    links: Vec<Link>,
    hidden: u32,
    unseen: String,
    /// Whether the last text was hidden; adjacent hidden texts count as one piece.
    in_hidden: bool,
    /// The open lists: the next number, or `None` for bullets.
    lists: Vec<Option<u32>>,
}

/// An open element.
#[derive(Clone, Copy)]
struct OpenElement {
    name: Name,
    /// Whether it is a quote and not just an indent.
    quote: bool,
}

/// A link that is not closed yet.
struct Anchor {
    target: String,
    /// Where its text begins in the output.
    from: usize,
    /// Stands in for missing text.
    alt: String,
}

impl<'a> Reader<'a> {
    fn current_look(&self) -> Look {
        self.looks.last().copied().unwrap_or_default()
    }

    fn text(&mut self, raw: &'a str) {
        let text = entities(raw);
        let is_empty = text.chars().all(is_blank);
        if self.current_look().is_hidden() {
            if !is_empty && !self.in_hidden {
                self.hidden += 1;
                self.in_hidden = true;
            }
            self.keep_unseen(&text);
            return;
        }
        if !is_empty {
            self.in_hidden = false;
        }
        self.out.text(&text, self.current_look().pre);
    }

    fn comment(&mut self, text: &str) {
        // `<!--[if mso]>` is for one mail program and appears in nearly every newsletter.
        let text = text.trim();
        let is_conditional =
            text.starts_with("[if") || text.starts_with("<![endif]") || text.starts_with("[endif]");
        if text.chars().any(char::is_alphanumeric) && !is_conditional && !self.in_hidden {
            self.hidden += 1;
            self.keep_unseen(text);
        }
    }

    /// Hidden text is never shown, but the checks for tricks need it.
    fn keep_unseen(&mut self, text: &str) {
        let room = MAX_UNSEEN.saturating_sub(self.unseen.len());
        self.unseen.push_str(&text[..text.floor_char_boundary(room)]);
        if room > 0 {
            self.unseen.push(' ');
        }
    }

    fn start(&mut self, name: Name, text: &'a str) {
        let tag = name.as_str();
        let attributes = Attributes::read(text);
        self.close_implied(tag);
        let element = Element { name, classes: attributes.class, id: attributes.id };
        let look = self.look_of(tag, &attributes, &element);
        let is_shown = !look.is_hidden();
        match tag {
            "br" => return self.out.line_break(),
            "hr" => return self.out.block(),
            "img" | "area" => {
                if is_shown {
                    self.picture(attributes.alt);
                }
                return;
            }
            "input" | "meta" | "link" | "base" | "col" | "embed" | "source" | "track" | "wbr" | "param" => {
                return;
            }
            "a" => {
                self.end_link();
                if let Some(href) = attributes.href.filter(|_| is_shown) {
                    let target = links::target(&entities(href));
                    self.link = Some(Anchor { target, from: self.out.len(), alt: String::new() });
                }
            }
            "blockquote" => self.out.block(),
            "ul" | "ol" => {
                self.lists.push((tag == "ol").then(|| attributes.start.unwrap_or(1)));
                self.out.line();
            }
            "li" if is_shown => self.item(),
            "td" | "th" if is_shown => self.out.cell(),
            _ if is_paragraph(tag) => self.out.block(),
            _ if is_line(tag) => self.out.line(),
            _ => {}
        }
        let quote = tag == "blockquote" && attributes.is_quote();
        if quote {
            self.out.quote(true);
        }
        self.open.push(OpenElement { name, quote });
        self.elements.push(element);
        self.looks.push(look);
    }

    fn look_of(&self, tag: &str, attributes: &Attributes<'_>, element: &Element<'_>) -> Look {
        let mut look = self.current_look();
        if matches!(
            tag,
            "head" | "script" | "template" | "object" | "svg" | "select" | "datalist" | "title" | "noscript"
        ) {
            return look.with(&Declarations::read("display:none").0);
        }
        if tag == "a" && attributes.href.is_some() && !look.is_hidden() {
            look = look.linked();
        }
        let mut style = Declarations::from_attributes(attributes.colour, attributes.back, attributes.picture);
        let (sheet_plain, sheet_important) = self.sheet.style(element, &self.elements);
        style.override_with(&sheet_plain);
        let inline = entities(attributes.style);
        let (plain, important) = Declarations::read(&inline);
        style.override_with(&plain);
        style.override_with(&sheet_important);
        style.override_with(&important);
        if attributes.hidden {
            style.override_with(&Declarations::read("display:none").0);
        }
        // Collapsed: only the summary is visible.
        if tag == "details" && !attributes.unfolded {
            style.override_with(&Declarations::read("visibility:hidden").0);
        } else if tag == "summary" && self.open.last().is_some_and(|open| open.name.as_str() == "details") {
            style.override_with(&Declarations::read("visibility:visible").0);
        }
        if tag == "pre" {
            look.pre = true;
        }
        if matches!(tag, "body" | "html") && self.sheet.unsure {
            // An unsupported rule paints the background, so white text on it may well be visible.
            style.override_with(&Declarations::from_attributes(None, None, true));
        }
        look.with(&style)
    }

    fn picture(&mut self, alt: &str) {
        let alt = entities(alt);
        let alt = alt.trim();
        if alt.is_empty() {
            return;
        }
        match &mut self.link {
            Some(link) if link.alt.is_empty() => link.alt = alt.to_owned(),
            _ => {}
        }
        self.out.text(&format!("[{alt}]"), false);
    }

    fn item(&mut self) {
        let depth = self.lists.len().saturating_sub(1);
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        };
        self.out.item(depth, &mark);
    }

    /// Closes elements that the new tag cannot be inside: a paragraph in a paragraph, a row in a row.
    fn close_implied(&mut self, tag: &str) {
        let (closes, within): (&[&str], &[&str]) = match tag {
            "li" => (&["li"], &["ul", "ol", "table"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr"], &["table", "tbody", "thead", "tfoot"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl", "table"]),
            "option" => (&["option"], &["select"]),
            _ if tag == "p" || is_paragraph(tag) || is_line(tag) => (
                &["p"],
                &["td", "th", "table", "div", "li", "blockquote", "body", "section", "article", "button"],
            ),
            _ => return,
        };
        for (back, open) in self.open.iter().rev().take(NEAR).enumerate() {
            if closes.contains(&open.name.as_str()) {
                return self.close(self.open.len() - 1 - back);
            }
            if within.contains(&open.name.as_str()) {
                return;
            }
        }
    }

    fn end(&mut self, name: Name) {
        let tag = name.as_str();
        let is_table_tag = matches!(tag, "table" | "tr" | "tbody" | "thead" | "tfoot" | "td" | "th");
        for (back, open) in self.open.iter().rev().take(NEAR).enumerate() {
            if open.name == name {
                return self.close(self.open.len() - 1 - back);
            }
            // A stray end tag in a cell does not close elements outside the table.
            if !is_table_tag && matches!(open.name.as_str(), "td" | "th" | "table") {
                break;
            }
        }
        match tag {
            "br" => self.out.line_break(),
            "p" => self.out.block(),
            _ => {}
        }
    }

    /// Closes every open element from this one on.
    fn close(&mut self, from: usize) {
        while self.open.len() > from {
            let Some(open) = self.open.pop() else { return };
            self.elements.pop();
            self.looks.pop();
            let tag = open.name;
            match tag.as_str() {
                "a" => self.end_link(),
                "ul" | "ol" => {
                    self.lists.pop();
                    if self.lists.is_empty() { self.out.block() } else { self.out.line() }
                }
                "tr" => self.out.line(),
                tag if is_paragraph(tag) || tag == "blockquote" => self.out.block(),
                tag if is_line(tag) => self.out.line(),
                _ => {}
            }
            if open.quote {
                self.out.quote(false);
            }
        }
    }

    fn end_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        if link.target.is_empty() || link.target.starts_with('#') || self.links.len() >= MAX_LINKS {
            return;
        }
        let shown = self.out.since(link.from);
        let shown = if shown.is_empty() { &link.alt } else { &shown };
        let text = Visible::line(&shown[..shown.floor_char_boundary(300)]).into_string();
        let plain = link.target.strip_prefix("mailto:").unwrap_or(&link.target);
        let text = if text == link.target || text == plain { String::new() } else { text };
        self.links.push(Link { text, target: link.target });
    }
}

/// Characters that readers see as blank: whitespace and the invisible padding of previews.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{AD}' | '\u{34F}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{2800}' | '·'
        )
}

fn is_paragraph(tag: &str) -> bool {
    matches!(tag, "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" | "pre" | "dl" | "hr")
}

fn is_line(tag: &str) -> bool {
    matches!(
        tag,
        "div"
            | "tr"
            | "li"
            | "dt"
            | "dd"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "main"
            | "center"
            | "form"
            | "address"
            | "caption"
            | "fieldset"
            | "figure"
            | "nav"
            | "aside"
            | "body"
            | "html"
            | "ul"
            | "ol"
    )
}

/// Decodes the entities in a text.
fn entities(raw: &str) -> std::borrow::Cow<'_, str> {
    if !raw.contains('&') {
        return raw.into();
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = 1 + rest[1..]
            .bytes()
            .take(32)
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#')
            .count();
        let name = &rest[1..length];
        let is_closed = rest[length..].starts_with(';');
        let decoded = match name.strip_prefix('#') {
            Some(code) => numbered(code),
            None if is_closed || matches!(name, "nbsp" | "amp" | "lt" | "gt" | "quot" | "copy" | "reg") => {
                named(name)
            }
            None => None,
        };
        match decoded {
            Some(text) => {
                out.push_str(&text);
                rest = &rest[length + usize::from(is_closed)..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out.into()
}

fn named(name: &str) -> Option<String> {
    let token = format!("&{name};");
    let mut out = String::new();
    mail_parser::decoders::html::add_html_token(&mut out, token.as_bytes(), false);
    (out != token).then_some(out)
}

fn numbered(code: &str) -> Option<String> {
    let code = match code.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => code.parse().ok()?,
    };
    // Browsers read these as Windows-1252.
    if let Ok(byte @ 0x80..=0x9F) = u8::try_from(code) {
        return mail_parser::decoders::charsets::map::charset_decoder(b"windows-1252")
            .map(|decode| decode(&[byte]));
    }
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string())
}
