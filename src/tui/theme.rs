//! Styles by meaning. Views name a meaning, never a colour.

use crate::config::ThemeName;
use crate::engine::graph::Grade;
use crate::inbox::{DecisionEnd, ItemKind};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use std::ffi::OsString;

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// The terminal has none, or the user wants none.
    None,
    /// Sixteen, whose exact shades the terminal chooses.
    Sixteen,
    /// All of them, in 24 bits.
    #[default]
    Full,
}

impl Colours {
    /// What the environment says about the terminal: `NO_COLOR` and a dumb `TERM` mean none, `COLORTERM` means all.
    pub fn of_terminal(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let is_one_of = |name, words: &[&str]| {
            variable(name).is_some_and(|value| words.iter().any(|word| value == *word))
        };
        if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) || is_one_of("TERM", &["dumb"]) {
            Self::None
        } else if is_one_of("COLORTERM", &["truecolor", "24bit"]) {
            Self::Full
        } else {
            Self::Sixteen
        }
    }
}

/// A theme in 24-bit colours.
struct Palette {
    ground: u32,
    /// Behind the header and the footer.
    bar: u32,
    /// Behind the selected row of the list with the focus.
    selected: u32,
    /// Behind the selected row of a list without the focus.
    resting: u32,
    rule: u32,
    text: u32,
    title: u32,
    quiet: u32,
    accent: u32,
    warning: u32,
    danger: u32,
    good: u32,
    keyword: u32,
    number: u32,
    /// The letters a search found, and their background.
    search_match: (u32, u32),
    /// Triage, approvals, questions, trouble and results.
    kinds: [u32; 5],
}

const DARK: Palette = Palette {
    ground: 0x0014_171d,
    bar: 0x001c_2028,
    selected: 0x002a_3446,
    resting: 0x001f_242e,
    rule: 0x004b_566c,
    text: 0x00d5_d9e2,
    title: 0x00f5_f7fa,
    quiet: 0x0098_a2b3,
    accent: 0x005f_d7c4,
    warning: 0x00f4_bc62,
    danger: 0x00ff_8a85,
    good: 0x008f_d694,
    keyword: 0x00c9_a6ff,
    number: 0x0082_b1ff,
    search_match: (0x0014_171d, 0x00f2_cc60),
    kinds: [0x0082_b1ff, 0x008f_d694, 0x00d9_a5f5, 0x00ff_8a85, 0x00dc_c49a],
};

const LIGHT: Palette = Palette {
    ground: 0x00fb_faf7,
    bar: 0x00ef_ede7,
    selected: 0x00dc_e7f5,
    resting: 0x00ee_f1f5,
    rule: 0x00a0_a5ab,
    text: 0x0027_2b33,
    title: 0x000d_1117,
    quiet: 0x0056_5e6c,
    accent: 0x0000_6b60,
    warning: 0x0085_4d00,
    danger: 0x00b3_261e,
    good: 0x0019_682f,
    keyword: 0x0072_2fb0,
    number: 0x001d_4fb8,
    search_match: (0x0027_2b33, 0x00ff_dc7a),
    kinds: [0x001d_4fb8, 0x0019_682f, 0x0080_2a9c, 0x00b3_261e, 0x006b_5200],
};

/// A theme in the terminal's own colours.
struct Sixteen {
    quiet: Color,
    accent: Color,
    warning: Color,
    keyword: Color,
    /// In the same order as in [`Palette`].
    kinds: [Color; 5],
}

const ON_DARK: Sixteen = Sixteen {
    quiet: Color::DarkGray,
    accent: Color::Cyan,
    warning: Color::Yellow,
    keyword: Color::Magenta,
    kinds: [Color::LightBlue, Color::Green, Color::Magenta, Color::Red, Color::Yellow],
};

const ON_LIGHT: Sixteen = Sixteen {
    quiet: Color::DarkGray,
    accent: Color::Blue,
    warning: Color::Magenta,
    keyword: Color::Magenta,
    kinds: [Color::Blue, Color::Green, Color::Magenta, Color::Red, Color::Cyan],
};

/// The style of each meaning.
#[derive(Clone, Debug)]
pub struct Theme {
    /// The default colours.
    ground: Style,
    /// Normal text.
    pub text: Style,
    /// Less important text.
    pub quiet: Style,
    /// Names and titles.
    pub title: Style,
    /// What nobody has seen yet.
    pub bright: Style,
    /// Keys, links, and whatever has the focus.
    pub accent: Style,
    /// The selected row of the list with the focus.
    pub selected: Style,
    /// The selected row of a list without the focus.
    pub resting: Style,
    /// Lines between things.
    pub rule: Style,
    /// Anything unusual.
    pub warning: Style,
    /// Failures, and anything that cannot be undone.
    pub danger: Style,
    /// Anything that went well.
    pub good: Style,
    /// The header and the footer.
    pub bar: Style,
    pub search_match: Style,
    pub added: Style,
    pub removed: Style,
    /// Keywords in code.
    pub keyword: Style,
    /// Strings in code.
    pub string: Style,
    /// Numbers in code.
    pub number: Style,
    kinds: [Style; 5],
}

impl Theme {
    pub fn grade(&self, grade: Grade) -> Style {
        match grade {
            Grade::Info => self.quiet,
            Grade::Caution => self.warning,
            Grade::Danger => self.danger,
        }
    }

    /// The theme with this name, in as many colours as the terminal shows.
    pub fn new(name: ThemeName, colours: Colours) -> Self {
        match (name, colours) {
            (ThemeName::Plain, _) | (_, Colours::None) => Self::plain(),
            (ThemeName::Contrast, _) => Self::contrast(),
            (ThemeName::Default, Colours::Full) => Self::painted(&DARK),
            (ThemeName::Light, Colours::Full) => Self::painted(&LIGHT),
            (ThemeName::Default | ThemeName::Terminal, _) => Self::sixteen(&ON_DARK),
            (ThemeName::Light, Colours::Sixteen) => Self::sixteen(&ON_LIGHT),
        }
    }

    /// Gives cells without a colour the ground's colours.
    pub fn paint(&self, buf: &mut Buffer) {
        let (Some(fg), Some(bg)) = (self.ground.fg, self.ground.bg) else { return };
        for cell in &mut buf.content {
            if cell.fg == Color::Reset {
                cell.fg = fg;
            }
            if cell.bg == Color::Reset {
                cell.bg = bg;
            }
        }
    }

    fn painted(palette: &Palette) -> Self {
        let fg = |colour: u32| Style::new().fg(Color::from_u32(colour));
        let bg = |colour: u32| Style::new().bg(Color::from_u32(colour));
        let bold = Modifier::BOLD;
        Self {
            ground: fg(palette.text).bg(Color::from_u32(palette.ground)),
            text: fg(palette.text),
            quiet: fg(palette.quiet),
            title: fg(palette.title).add_modifier(bold),
            bright: fg(palette.title),
            accent: fg(palette.accent).add_modifier(bold),
            selected: bg(palette.selected),
            resting: bg(palette.resting),
            rule: fg(palette.rule),
            warning: fg(palette.warning).add_modifier(bold),
            danger: fg(palette.danger).add_modifier(bold),
            good: fg(palette.good),
            bar: bg(palette.bar),
            search_match: fg(palette.search_match.0).bg(Color::from_u32(palette.search_match.1)),
            added: fg(palette.good),
            removed: fg(palette.danger),
            keyword: fg(palette.keyword),
            string: fg(palette.good),
            number: fg(palette.number),
            kinds: palette.kinds.map(fg),
        }
    }

    fn sixteen(colours: &Sixteen) -> Self {
        let fg = |colour| Style::new().fg(colour);
        Self {
            ground: Style::new(),
            text: Style::new(),
            quiet: fg(colours.quiet),
            title: Style::new().add_modifier(Modifier::BOLD),
            bright: Style::new().add_modifier(Modifier::BOLD),
            accent: fg(colours.accent).add_modifier(Modifier::BOLD),
            selected: Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED),
            resting: Style::new().add_modifier(Modifier::BOLD),
            rule: fg(colours.quiet),
            warning: fg(colours.warning).add_modifier(Modifier::BOLD),
            danger: fg(Color::Red).add_modifier(Modifier::BOLD),
            good: fg(Color::Green),
            bar: Style::new(),
            search_match: Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            added: fg(Color::Green),
            removed: fg(Color::Red),
            keyword: fg(colours.keyword),
            string: fg(Color::Green),
            number: fg(colours.accent),
            kinds: colours.kinds.map(fg),
        }
    }

    fn contrast() -> Self {
        let bold = Style::new().fg(Color::White).add_modifier(Modifier::BOLD);
        Self {
            text: Style::new().fg(Color::White),
            quiet: Style::new().fg(Color::Gray),
            rule: Style::new().fg(Color::White),
            accent: Style::new().fg(Color::LightCyan).add_modifier(Modifier::BOLD),
            warning: Style::new().fg(Color::Black).bg(Color::LightYellow).add_modifier(Modifier::BOLD),
            danger: Style::new().fg(Color::White).bg(Color::Red).add_modifier(Modifier::BOLD),
            good: Style::new().fg(Color::LightGreen).add_modifier(Modifier::BOLD),
            title: bold.add_modifier(Modifier::UNDERLINED),
            bright: bold,
            bar: bold,
            keyword: Style::new().fg(Color::LightMagenta),
            number: Style::new().fg(Color::LightCyan),
            kinds: [bold; 5],
            ..Self::sixteen(&ON_DARK)
        }
    }

    fn plain() -> Self {
        let (none, bold) = (Style::new(), Style::new().add_modifier(Modifier::BOLD));
        let dim = Style::new().add_modifier(Modifier::DIM);
        Self {
            ground: none,
            text: none,
            quiet: dim,
            title: bold,
            bright: bold,
            accent: bold,
            selected: Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED),
            resting: bold,
            rule: dim,
            warning: bold,
            danger: bold,
            good: none,
            bar: none,
            search_match: Style::new().add_modifier(Modifier::UNDERLINED),
            added: none,
            removed: dim,
            keyword: bold,
            string: none,
            number: none,
            kinds: [bold; 5],
        }
    }

    /// The style of a kind's name.
    pub fn kind(&self, kind: ItemKind) -> Style {
        let of_kind = ItemKind::ALL.into_iter().zip(self.kinds).find(|(known, _)| *known == kind);
        of_kind.map_or(self.text, |(_, style)| style)
    }

    /// The style of how something ended.
    pub fn end(&self, end: DecisionEnd) -> Style {
        match end {
            DecisionEnd::Done => self.good,
            DecisionEnd::Failed | DecisionEnd::InDoubt => self.danger,
            DecisionEnd::Pending => self.warning,
            DecisionEnd::Ignored | DecisionEnd::Expired | DecisionEnd::Undone => self.quiet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ThemeName; 5] =
        [ThemeName::Default, ThemeName::Light, ThemeName::Terminal, ThemeName::Contrast, ThemeName::Plain];

    /// Red, green and blue as linear light.
    fn linear_rgb(colour: u32) -> [f64; 3] {
        [16, 8, 0].map(|shift| {
            let value = f64::from((colour >> shift) & 0xff) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn luminance(colour: u32) -> f64 {
        let [red, green, blue] = linear_rgb(colour);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast of two colours as defined by WCAG.
    fn contrast(one: u32, other: u32) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn everything_that_is_read_stands_out_from_what_is_behind_it() {
        for palette in [DARK, LIGHT] {
            let Palette { text, title, quiet, accent, warning, danger, good, keyword, number, .. } = palette;
            let colours = [text, title, quiet, accent, warning, danger, good, keyword, number];
            for colour in colours.into_iter().chain(palette.kinds) {
                for behind in [palette.ground, palette.bar, palette.selected, palette.resting] {
                    let ratio = contrast(colour, behind);
                    assert!(ratio >= 4.5, "{colour:06x} on {behind:06x}: {ratio:.2}");
                }
            }
            assert!(contrast(palette.search_match.0, palette.search_match.1) >= 4.5);
            let line = contrast(palette.rule, palette.ground);
            assert!((2.0..4.5).contains(&line), "lines are seen, and stand back: {line:.2}");
            assert!(
                contrast(accent, palette.ground) >= 4.5,
                "the tab that is open is drawn the other way round"
            );
        }
    }

    /// Lightness and two axes of hue, in which equal steps look equal (CIE L*a*b*, D65).
    fn to_lab(colour: u32) -> [f64; 3] {
        let [red, green, blue] = linear_rgb(colour);
        let bent = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = bent((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
        let y = bent(luminance(colour));
        let z = bent((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn kinds_are_told_apart_at_a_glance() {
        for palette in [DARK, LIGHT] {
            for (n, kind) in palette.kinds.iter().enumerate() {
                for other in palette.kinds[..n].iter().chain([&palette.quiet, &palette.text]) {
                    let ([light, red, blue], other_lab) = (to_lab(*kind), to_lab(*other));
                    let distance =
                        (light - other_lab[0]).hypot(red - other_lab[1]).hypot(blue - other_lab[2]);
                    assert!(distance >= 25.0, "{kind:06x} and {other:06x} are only {distance:.0} apart");
                }
            }
        }
    }

    #[test]
    fn kinds_differ_wherever_there_are_colours() {
        for name in [ThemeName::Default, ThemeName::Light, ThemeName::Terminal] {
            for colours in [Colours::Sixteen, Colours::Full] {
                let kinds = Theme::new(name, colours).kinds;
                for (n, kind) in kinds.iter().enumerate() {
                    assert!(!kinds[..n].contains(kind), "{name:?} {colours:?}: {kind:?}");
                }
            }
        }
    }

    #[test]
    fn colours_are_as_many_as_the_terminal_shows() {
        let drawn = |name, colours| {
            let theme = Theme::new(name, colours);
            let mut buf = Buffer::empty(ratatui::layout::Rect::new(0, 0, 4, 1));
            let all = [theme.text, theme.quiet, theme.warning, theme.kinds[0]];
            for (style, x) in all.into_iter().zip(0..) {
                buf.set_string(x, 0, "x", style);
            }
            theme.paint(&mut buf);
            buf.content.iter().flat_map(|cell| [cell.fg, cell.bg]).collect::<Vec<_>>()
        };
        let is_full = |colour: &Color| matches!(colour, Color::Rgb(..));
        for name in ALL {
            assert!(drawn(name, Colours::None).iter().all(|colour| *colour == Color::Reset), "{name:?}");
            assert!(!drawn(name, Colours::Sixteen).iter().any(is_full), "{name:?}");
        }
        for name in [ThemeName::Default, ThemeName::Light] {
            assert!(drawn(name, Colours::Full).iter().all(is_full), "{name:?} leaves nothing to chance");
        }
    }

    #[test]
    fn the_environment_says_what_the_terminal_shows() {
        let colours = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into());
            Colours::of_terminal(value)
        };
        assert_eq!(colours(&[("TERM", "xterm-256color")]), Colours::Sixteen);
        assert_eq!(colours(&[("COLORTERM", "truecolor")]), Colours::Full);
        assert_eq!(colours(&[("COLORTERM", "24bit"), ("NO_COLOR", "")]), Colours::Full);
        assert_eq!(colours(&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")]), Colours::None);
        assert_eq!(colours(&[("COLORTERM", "truecolor"), ("TERM", "dumb")]), Colours::None);
    }
}
