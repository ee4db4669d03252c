//! Turns HTML mail into the text a person would see.
//!
//! Promises: linear time, even for deep nesting; text made invisible by a style is dropped and counted; links keep
//! their real targets; pictures become their alternative text. Nothing is fetched, and scripts are not read.
//!
//! html5gum splits the page into tags and text as browsers do. What follows is not a browser: it knows which tags begin
//! a line, a list or a quote, and which styles hide text. Layout is ignored on purpose, since mails use tables for it.

mod attributes;
mod style;
mod values;
mod writer;

#[cfg(test)]
mod tests;

use super::Link;
use super::links;
use crate::text::Visible;
use attributes::Attributes;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};
use std::borrow::Cow;
use style::{Declarations, Element, Look, Sheet};
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
    // Style sheets apply wherever they appear, so we collect them first.
    let sheets = style_sheets(input);
    let mut sheet = Sheet::default();
    sheets.iter().for_each(|css| sheet.add(css));
    let mut reader = Reader {
        sheet,
        tag: String::new(),
        attributes: Attributes::default(),
        open: Vec::new(),
        out: Writer::default(),
        link: None,
        links: Vec::new(),
        hidden: 0,
        unseen: String::new(),
        in_hidden: false,
        lists: Vec::new(),
    };
    each_event(input, |event| reader.event(event));
    reader.end_link();
    Page {
        text: reader.out.finish(),
        hidden: reader.hidden,
        unseen: reader.unseen,
        links: reader.links,
        cut: input.len() < html.len(),
    }
}

/// Reads the page. After a start tag, `take` says how to read on if what follows is not HTML.
fn each_event(html: &str, mut take: impl FnMut(CallbackEvent<'_>) -> Option<State>) {
    let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| take(event));
    let mut tokenizer = Tokenizer::new_with_emitter(html, emitter);
    while let Some(Ok(state)) = tokenizer.next() {
        tokenizer.set_state(state);
    }
}

/// How the content of an element is read that has no tags in it.
fn raw_content(tag: &str) -> Option<State> {
    match tag {
        "script" => Some(State::ScriptData),
        "textarea" | "title" => Some(State::RcData),
        "style" | "iframe" | "noframes" | "noembed" | "xml" => Some(State::RawText),
        _ => None,
    }
}

fn style_sheets(html: &str) -> Vec<String> {
    let is_style = |tag: &str| tag.get(..5).is_some_and(|name| name.eq_ignore_ascii_case("style"));
    let (mut tag, mut sheets) = (String::new(), Vec::new());
    if html.split('<').any(is_style) {
        each_event(html, |event| {
            match event {
                CallbackEvent::OpenStartTag { name } => tag = utf8(name).into_owned(),
                CallbackEvent::CloseStartTag { .. } => return raw_content(&tag),
                CallbackEvent::String { value } if tag == "style" => sheets.push(utf8(value).into_owned()),
                CallbackEvent::EndTag { .. } => tag.clear(),
                _ => {}
            }
            None
        });
    }
    sheets
}

fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

struct Reader<'a> {
    sheet: Sheet<'a>,
    /// The start tag that is being read.
    tag: String,
    attributes: Attributes,
    open: Vec<OpenElement>,
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

struct OpenElement {
    element: Element,
    look: Look,
    /// Whether it is a quote and not just an indent.
    quote: bool,
}

impl OpenElement {
    fn name(&self) -> &str {
        &self.element.name
    }
}

/// A link that is not closed yet.
struct Anchor {
    target: String,
    /// Where its text begins in the output.
    from: usize,
    /// Stands in for missing text.
    alt: String,
}

impl Reader<'_> {
    fn event(&mut self, event: CallbackEvent<'_>) -> Option<State> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = utf8(name).into_owned();
                self.attributes.clear();
            }
            CallbackEvent::AttributeName { name } => self.attributes.add_name(name),
            CallbackEvent::AttributeValue { value } => self.attributes.add_value(value),
            CallbackEvent::CloseStartTag { .. } => {
                let (tag, attributes) = (std::mem::take(&mut self.tag), std::mem::take(&mut self.attributes));
                let content = raw_content(&tag);
                self.start(tag, &attributes);
                return content;
            }
            CallbackEvent::EndTag { name } => self.end(&utf8(name)),
            CallbackEvent::String { value } => self.text(&utf8(value)),
            CallbackEvent::Comment { value } => self.comment(&utf8(value)),
            CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }

    fn current_look(&self) -> Look {
        self.open.last().map(|open| open.look).unwrap_or_default()
    }

    fn text(&mut self, text: &str) {
        if self.open.last().is_some_and(|open| raw_content(open.name()).is_some()) {
            return;
        }
        let is_empty = text.chars().all(is_blank);
        if self.current_look().is_hidden() {
            if !is_empty && !self.in_hidden {
                self.hidden += 1;
                self.in_hidden = true;
            }
            self.keep_unseen(text);
            return;
        }
        if !is_empty {
            self.in_hidden = false;
        }
        self.out.text(text, self.current_look().pre);
    }

    fn comment(&mut self, text: &str) {
        // `<!--[if mso]>` is for one mail program and appears in nearly every newsletter, `<?xml …>` in those of Word.
        let text = text.trim();
        let is_for_programs =
            ["[if", "<![endif]", "[endif]", "?xml"].iter().any(|start| text.starts_with(start));
        if text.chars().any(char::is_alphanumeric) && !is_for_programs && !self.in_hidden {
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

    fn start(&mut self, tag: String, attributes: &Attributes) {
        self.close_implied(&tag);
        let text = |name| attributes.text(name).to_owned();
        let element = Element { name: tag, classes: text("class"), id: text("id") };
        let tag = element.name.as_str();
        let look = self.look_of(attributes, &element);
        let is_shown = !look.is_hidden();
        match tag {
            "br" => return self.out.line_break(),
            "hr" => return self.out.block(),
            "img" | "area" => {
                if is_shown {
                    self.picture(attributes.text("alt"));
                }
                return;
            }
            "input" | "meta" | "link" | "base" | "col" | "embed" | "source" | "track" | "wbr" | "param" => {
                return;
            }
            "a" => {
                self.end_link();
                if let Some(href) = attributes.get("href").filter(|_| is_shown) {
                    let target = links::target(href);
                    self.link = Some(Anchor { target, from: self.out.len(), alt: String::new() });
                }
            }
            "blockquote" => self.out.block(),
            "ul" | "ol" => {
                let start = attributes.text("start").parse().unwrap_or(1);
                self.lists.push((tag == "ol").then_some(start));
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
        self.open.push(OpenElement { element, look, quote });
    }

    fn look_of(&self, attributes: &Attributes, element: &Element) -> Look {
        let tag = element.name.as_str();
        let mut look = self.current_look();
        if matches!(
            tag,
            "head" | "script" | "template" | "object" | "svg" | "select" | "datalist" | "title" | "noscript"
        ) {
            return look.with(&Declarations::read("display:none").0);
        }
        if tag == "a" && attributes.get("href").is_some() && !look.is_hidden() {
            look = look.linked();
        }
        let colour = attributes.get("color").or(attributes.get("text"));
        let has_picture = !attributes.text("background").is_empty();
        let mut style = Declarations::from_attributes(colour, attributes.get("bgcolor"), has_picture);
        let ancestors = self.open.iter().rev().map(|open| &open.element);
        let (sheet_plain, sheet_important) = self.sheet.style(element, ancestors);
        style.override_with(&sheet_plain);
        let (plain, important) = Declarations::read(attributes.text("style"));
        style.override_with(&plain);
        style.override_with(&sheet_important);
        style.override_with(&important);
        if attributes.get("hidden").is_some() {
            style.override_with(&Declarations::read("display:none").0);
        }
        // Collapsed: only the summary is visible.
        if tag == "details" && attributes.get("open").is_none() {
            style.override_with(&Declarations::read("visibility:hidden").0);
        } else if tag == "summary" && self.open.last().is_some_and(|open| open.name() == "details") {
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
            if closes.contains(&open.name()) {
                return self.close(self.open.len() - 1 - back);
            }
            if within.contains(&open.name()) {
                return;
            }
        }
    }

    fn end(&mut self, tag: &str) {
        let is_table_tag = matches!(tag, "table" | "tr" | "tbody" | "thead" | "tfoot" | "td" | "th");
        for (back, open) in self.open.iter().rev().take(NEAR).enumerate() {
            if open.name() == tag {
                return self.close(self.open.len() - 1 - back);
            }
            // A stray end tag in a cell does not close elements outside the table.
            if !is_table_tag && matches!(open.name(), "td" | "th" | "table") {
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
            match open.name() {
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
