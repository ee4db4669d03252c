//! Decides which text a style makes invisible.
//!
//! Promises: declarations that hide text are understood, inline and in style sheets with simple selectors (tag, class,
//! id, descendants), in the right order and weight. Anything else hides nothing. Rules for other media (`@media`,
//! `@supports`) are ignored, since they do not apply on most screens.

use super::values::{amount, faded, is_faint, pixels};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

/// How many bytes and rules of style sheets are read.
const MAX_SHEET: usize = 512 << 10;
const MAX_RULES: usize = 2_000;
/// How many times rules are matched against elements; beyond that, nothing more is hidden.
const MAX_TRIES: usize = 1_000_000;
/// How many ancestors are checked for descendant selectors.
const NEAR: usize = 64;
/// Text smaller than this many pixels is not meant to be read.
const READABLE: f32 = 3.0;
/// Colours that differ by less than this in every channel look the same.
const ALIKE: i32 = 16;

/// How an element looks, as far as visibility is concerned. Children inherit it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    gone: bool,
    invisible: bool,
    size: f32,
    /// `None` if unknown.
    colour: Option<u32>,
    back: Option<u32>,
    pub pre: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            gone: false,
            invisible: false,
            size: 16.0,
            colour: Some(0),
            back: Some(0xFF_FF_FF),
            pre: false,
        }
    }
}

impl Look {
    /// Whether text with this look is invisible.
    pub fn is_hidden(&self) -> bool {
        let is_camouflaged = match (self.colour, self.back) {
            (Some(colour), Some(back)) => same_colour(colour, back),
            _ => false,
        };
        self.gone || self.invisible || self.size < READABLE || is_camouflaged
    }

    pub fn linked(self) -> Self {
        Self { colour: Some(0x00_00_EE), ..self }
    }

    /// The look of a child element with these declarations.
    pub fn with(mut self, style: &Declarations) -> Self {
        let overflow = style.overflow_hidden == Some(true);
        self.gone |= style.gone == Some(true)
            || style.transparent == Some(true)
            || (style.no_box == Some(true) && overflow)
            || style.away == Some(true)
            || style.clipped == Some(true);
        self.invisible = style.invisible.unwrap_or(self.invisible);
        self.size = match style.size {
            Some(Size::Pixels(pixels)) => pixels,
            Some(Size::Times(times)) => self.size * times,
            None => self.size,
        };
        if let Some(back) = style.back {
            self.back = back.over(self.back);
        }
        if let Some(colour) = style.colour {
            self.colour = colour.over(self.back);
        }
        self.pre = style.pre.unwrap_or(self.pre);
        self
    }
}

fn same_colour(one: u32, other: u32) -> bool {
    let channel = |colour: u32, shift: u32| i32::from((colour >> shift) as u8);
    [0, 8, 16].into_iter().all(|shift| (channel(one, shift) - channel(other, shift)).abs() < ALIKE)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Size {
    Pixels(f32),
    Times(f32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    Colour(u32),
    Clear,
    Unknown,
}

impl Paint {
    /// The resulting colour; transparent paint shows the colour below.
    fn over(self, beneath: Option<u32>) -> Option<u32> {
        match self {
            Self::Colour(colour) => Some(colour),
            Self::Clear => beneath,
            Self::Unknown => None,
        }
    }
}

/// Style declarations; `None` if not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Declarations {
    gone: Option<bool>,
    invisible: Option<bool>,
    transparent: Option<bool>,
    no_box: Option<bool>,
    overflow_hidden: Option<bool>,
    away: Option<bool>,
    clipped: Option<bool>,
    size: Option<Size>,
    colour: Option<Paint>,
    back: Option<Paint>,
    pre: Option<bool>,
}

impl Declarations {
    /// The declarations made by colour attributes.
    pub fn from_attributes(colour: Option<&str>, back: Option<&str>, picture: bool) -> Self {
        let back = if picture { Some(Paint::Unknown) } else { back.map(paint) };
        Self { colour: colour.map(paint), back, ..Self::default() }
    }

    /// Overrides these declarations with those of `other`.
    pub fn override_with(&mut self, other: &Self) {
        macro_rules! take { ($($field:ident),*) => { $(self.$field = other.$field.or(self.$field);)* } }
        take!(gone, invisible, transparent, no_box, overflow_hidden, away, clipped, size, colour, back, pre);
    }

    /// Reads declarations; the second result has those marked `!important`.
    pub fn read(text: &str) -> (Self, Self) {
        let mut both = (Self::default(), Self::default());
        let text = without_comments(text);
        for declaration in text.split(';') {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let value = value.trim().to_ascii_lowercase();
            let (value, important) = match value.split_once('!') {
                Some((value, mark)) => (value.trim_end(), mark.trim() == "important"),
                None => (value.as_str(), false),
            };
            let to = if important { &mut both.1 } else { &mut both.0 };
            to.declare(&name.trim().to_ascii_lowercase(), value);
        }
        both
    }

    fn declare(&mut self, name: &str, value: &str) {
        let is_tiny = || pixels(value).is_some_and(|pixels| pixels <= 1.0);
        match name {
            "display" => self.gone = Some(value == "none"),
            "mso-hide" => self.gone = Some(value == "all" || self.gone == Some(true)),
            "visibility" => self.invisible = Some(matches!(value, "hidden" | "collapse")),
            "opacity" => self.transparent = Some(is_faint(value)),
            "filter" => self.transparent = Some(faded(value) || self.transparent == Some(true)),
            "letter-spacing" => {
                // Letters are printed on top of each other.
                let is_stacked = pixels(value).is_some_and(|pixels| pixels <= -8.0);
                self.clipped = Some(is_stacked || self.clipped == Some(true));
            }
            "height" | "max-height" | "width" | "max-width" => {
                self.no_box = Some(is_tiny() || self.no_box == Some(true));
            }
            "overflow" | "overflow-x" | "overflow-y" => {
                self.overflow_hidden = Some(value.contains("hidden") || value.contains("clip"));
            }
            "left" | "top" | "right" | "bottom" | "text-indent" | "margin-left" | "margin-top" => {
                self.away =
                    Some(pixels(value).is_some_and(|pixels| pixels <= -300.0) || self.away == Some(true));
            }
            "clip" => self.clipped = Some(value.starts_with("rect(0") || value.starts_with("rect(1px")),
            "clip-path" => {
                self.clipped = Some(value.starts_with("inset(100%") || value.starts_with("inset(50%"))
            }
            "transform" => {
                self.clipped = Some(value.starts_with("scale(0)") || value.starts_with("scale(0,"))
            }
            "font-size" => self.size = size(value).or(self.size),
            "font" => self.size = font_size(value).or(self.size),
            "color" => self.colour = Some(paint(value)),
            "background-color" => self.back = Some(paint(value)),
            "background" => self.back = background(value),
            "background-image" if value != "none" => self.back = Some(Paint::Unknown),
            "white-space" => self.pre = Some(value.starts_with("pre") && value != "pre-line"),
            _ => {}
        }
    }
}

fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("/*") {
        return text.into();
    }
    let after = |piece: &'_ str| piece.find("*/").map_or(piece.len(), |end| end + 2);
    let mut pieces = text.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |out, piece| out + &piece[after(piece)..]).into()
}

/// The colour of a `background` shorthand, unless a picture covers it.
fn background(value: &str) -> Option<Paint> {
    if value.contains("url(") || value.contains("gradient") {
        return Some(Paint::Unknown);
    }
    let single = Some(paint(value)).filter(|paint| *paint != Paint::Unknown);
    single
        .or_else(|| value.split_whitespace().map(paint).find(|paint| *paint != Paint::Unknown))
        .or(Some(Paint::Unknown))
}

/// The size in a `font` shorthand. A bare number is a weight, unless it is 0.
fn font_size(value: &str) -> Option<Size> {
    let is_weight = |word: &&str| word.parse::<f32>().is_ok_and(|number| number != 0.0);
    let mut words =
        value.split(|c: char| c.is_ascii_whitespace() || c == '/').filter(|word| !is_weight(word));
    words.find_map(size)
}

fn size(value: &str) -> Option<Size> {
    match value {
        "inherit" | "larger" | "smaller" => return None,
        "small" | "medium" | "large" | "x-small" | "xx-small" | "x-large" | "xx-large" | "initial" => {
            return Some(Size::Pixels(16.0));
        }
        _ => {}
    }
    let times = |unit: &str, by: f32| {
        value.strip_suffix(unit).and_then(|n| n.trim().parse::<f32>().ok()).map(|n| n * by)
    };
    // `rem` also ends in `em`, but does not scale the inherited size.
    if !value.ends_with("rem")
        && let Some(times) = times("em", 1.0).or_else(|| times("%", 0.01))
    {
        return Some(Size::Times(times));
    }
    pixels(value).map(Size::Pixels)
}

fn paint(value: &str) -> Paint {
    let value = value.trim().to_ascii_lowercase();
    if let Some(hex) = value.strip_prefix('#') {
        let parse_hex = |hex: &str| u32::from_str_radix(hex, 16).ok();
        let parse_short_hex = |hex: &str| parse_hex(&hex.chars().flat_map(|c| [c, c]).collect::<String>());
        let colour = match hex.len() {
            3 => parse_short_hex(hex),
            4 => parse_short_hex(&hex[..hex.floor_char_boundary(3)]),
            6 => parse_hex(hex),
            8 => parse_hex(&hex[..hex.floor_char_boundary(6)]),
            _ => None,
        };
        let is_clear = (hex.len() == 8 && hex.ends_with("00")) || (hex.len() == 4 && hex.ends_with('0'));
        return if is_clear { Paint::Clear } else { colour.map_or(Paint::Unknown, Paint::Colour) };
    }
    if let Some(list) =
        value.strip_prefix("rgb").and_then(|rest| rest.trim_start_matches('a').strip_prefix('('))
    {
        let is_number = |part: &&str| amount(part, 1.0).is_some();
        let numbers: Vec<&str> = list.split([',', ' ', '/', ')']).filter(is_number).collect();
        return match numbers[..] {
            [_, _, _, alpha, ..] if is_faint(alpha) => Paint::Clear,
            [red, green, blue, ..] => {
                let channel =
                    |part| amount(part, 255.0).map_or(0, |part| part.clamp(0.0, 255.0).round() as u32);
                Paint::Colour(channel(red) << 16 | channel(green) << 8 | channel(blue))
            }
            _ => Paint::Unknown,
        };
    }
    match value.as_str() {
        "white" => Paint::Colour(0xFF_FF_FF),
        "snow" | "ghostwhite" | "floralwhite" | "ivory" | "mintcream" | "azure" => Paint::Colour(0xFA_FA_FA),
        "whitesmoke" => Paint::Colour(0xF5_F5_F5),
        "black" | "windowtext" => Paint::Colour(0),
        "red" => Paint::Colour(0xFF_00_00),
        "blue" => Paint::Colour(0x00_00_FF),
        "green" => Paint::Colour(0x00_80_00),
        "yellow" => Paint::Colour(0xFF_FF_00),
        "gray" | "grey" => Paint::Colour(0x80_80_80),
        "silver" => Paint::Colour(0xC0_C0_C0),
        "navy" => Paint::Colour(0x00_00_80),
        "transparent" => Paint::Clear,
        "none" => Paint::Clear,
        // Six digits without `#`, common in attributes.
        hex if hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u32::from_str_radix(hex, 16).map_or(Paint::Unknown, Paint::Colour)
        }
        _ => Paint::Unknown,
    }
}

/// An element as selectors see it.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    pub classes: String,
    pub id: String,
}

/// The part of a selector for one element: `td.left#one`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Compound<'a> {
    name: &'a str,
    classes: Vec<&'a str>,
    id: &'a str,
}

impl Compound<'_> {
    fn fits(&self, element: &Element) -> bool {
        (self.name.is_empty() || self.name.eq_ignore_ascii_case(&element.name))
            && (self.id.is_empty() || self.id == element.id)
            && self
                .classes
                .iter()
                .all(|class| element.classes.split_ascii_whitespace().any(|name| name == *class))
    }
}

struct Rule<'a> {
    /// Outermost first; the last is the element itself.
    path: Vec<Compound<'a>>,
    weight: (usize, usize, usize),
    plain: Declarations,
    important: Declarations,
}

/// The style sheets of a page.
#[derive(Default)]
pub(super) struct Sheet<'a> {
    rules: Vec<Rule<'a>>,
    /// Rules by the class, id or tag that their last element must have; `*` for any.
    index: HashMap<String, Vec<usize>>,
    bytes_read: usize,
    tries: Cell<usize>,
    /// Whether a selector we do not understand paints backgrounds.
    pub unsure: bool,
}

impl<'a> Sheet<'a> {
    /// Adds the rules of a `<style>` element.
    pub fn add(&mut self, css: &'a str) {
        self.bytes_read += css.len();
        if self.bytes_read > MAX_SHEET {
            return;
        }
        let mut rest = css;
        while let Some(open) = rest.find(['{', ';']) {
            let before = &rest[..open];
            let selector = before
                .rsplit_once("*/")
                .map_or(before, |(_, after)| after)
                .trim()
                .trim_start_matches("<!--")
                .trim();
            let at_rule = selector.starts_with('@');
            if rest.as_bytes()[open] == b';' {
                rest = &rest[open + 1..];
                continue;
            }
            let inner = &rest[open + 1..];
            let close = if at_rule { block_end(inner) } else { inner.find('}') };
            let body = &inner[..close.unwrap_or(inner.len())];
            rest = close.map_or("", |close| &inner[close + 1..]);
            if !at_rule {
                self.rule(selector, body);
            }
        }
    }

    fn rule(&mut self, selectors: &'a str, body: &str) {
        let (plain, important) = Declarations::read(body);
        if (plain == Declarations::default() && important == Declarations::default())
            || self.rules.len() >= MAX_RULES
        {
            return;
        }
        for selector in selectors.split(',').take(64) {
            let Some(path) = path(selector) else {
                self.unsure |= plain.back.or(important.back).is_some();
                continue;
            };
            let Some(last) = path.last() else { continue };
            let key = last
                .classes
                .first()
                .copied()
                .or(Some(last.id).filter(|id| !id.is_empty()))
                .unwrap_or(last.name);
            let key = if key.is_empty() { "*".to_owned() } else { key.to_ascii_lowercase() };
            let count = |of: fn(&Compound<'_>) -> usize| path.iter().map(of).sum::<usize>();
            let weight = (
                count(|part| usize::from(!part.id.is_empty())),
                count(|part| part.classes.len()),
                count(|part| usize::from(!part.name.is_empty())),
            );
            self.index.entry(key).or_default().push(self.rules.len());
            self.rules.push(Rule { path, weight, plain, important });
        }
    }

    /// What the sheets declare for an element, normally and as `!important`. The innermost ancestor comes first.
    pub fn style<'e>(
        &self,
        element: &Element,
        ancestors: impl Iterator<Item = &'e Element> + Clone,
    ) -> (Declarations, Declarations) {
        let mut both = (Declarations::default(), Declarations::default());
        if self.rules.is_empty() {
            return both;
        }
        let others = [element.id.as_str(), &element.name, "*"];
        let keys = element.classes.split_ascii_whitespace().take(16).chain(others);
        let mut matching: Vec<usize> = keys
            .filter_map(|key| self.index.get(&key.to_ascii_lowercase()))
            .flatten()
            .copied()
            .take_while(|_| {
                self.tries.set(self.tries.get() + 1);
                self.tries.get() < MAX_TRIES
            })
            .filter(|rule| fits(&self.rules[*rule].path, element, ancestors.clone().take(NEAR)))
            .collect();
        matching.sort_by_key(|rule| (self.rules[*rule].weight, *rule));
        for rule in matching {
            both.0.override_with(&self.rules[rule].plain);
            both.1.override_with(&self.rules[rule].important);
        }
        both
    }
}

fn fits<'e>(path: &[Compound<'_>], element: &Element, mut near: impl Iterator<Item = &'e Element>) -> bool {
    let Some((last, outer)) = path.split_last() else { return false };
    last.fits(element) && outer.iter().rev().all(|part| near.any(|ancestor| part.fits(ancestor)))
}

/// A selector of simple parts, each a descendant of the one before; `None` for any other.
fn path(selector: &str) -> Option<Vec<Compound<'_>>> {
    let parts: Vec<&str> = selector.split_ascii_whitespace().collect();
    if parts.is_empty() || parts.len() > 8 {
        return None;
    }
    parts.into_iter().map(compound).collect()
}

fn compound(text: &str) -> Option<Compound<'_>> {
    let mut compound = Compound::default();
    let mut rest = text.strip_prefix('*').unwrap_or(text);
    while !rest.is_empty() {
        let mark = rest.chars().next().filter(|c| matches!(c, '.' | '#'));
        let word = &rest[mark.map_or(0, |_| 1)..];
        let end = word.find(['.', '#']).unwrap_or(word.len());
        let (name, after) = word.split_at(end);
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) {
            return None;
        }
        match mark {
            Some('.') => compound.classes.push(name),
            Some(_) => compound.id = name,
            None => compound.name = name,
        }
        rest = after;
    }
    Some(compound)
}

/// Where a block with nested blocks ends.
fn block_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}
