//! Meanings and their styles. Views name a meaning, never a colour.

use crate::config::ThemeName;
use crate::graph::{Grade, Kind};
use crate::inbox::ItemKind;
use ratatui::style::{Color, Modifier, Style};

/// How each meaning looks.
#[derive(Clone, Debug)]
pub struct Theme {
    /// What is read.
    pub text: Style,
    /// What stands back.
    pub quiet: Style,
    /// What a thing is called.
    pub title: Style,
    /// Keys, links to elsewhere, what has the focus.
    pub accent: Style,
    /// The selected row of the list that has the focus.
    pub selected: Style,
    /// The selected row of a list that has not.
    pub resting: Style,
    /// Lines between things.
    pub rule: Style,
    /// What is unusual.
    pub warning: Style,
    /// What failed or cannot be taken back.
    pub danger: Style,
    /// What went well.
    pub good: Style,
    /// The header and the footer.
    pub bar: Style,
    /// What a search found.
    pub found: Style,
    /// Put in.
    pub added: Style,
    /// Taken away.
    pub removed: Style,
    /// Words of a language.
    pub keyword: Style,
    /// Text in a program.
    pub string: Style,
    /// Numbers in a program.
    pub number: Style,
    kinds: [Style; 5],
}

impl Theme {
    /// How a warning is drawn.
    pub fn grade(&self, grade: Grade) -> Style {
        match grade {
            Grade::Info => self.quiet,
            Grade::Caution => self.warning,
            Grade::Danger => self.danger,
        }
    }

    /// The theme of this name; `NO_COLOR` makes any of them plain.
    pub fn new(name: ThemeName) -> Self {
        match name {
            ThemeName::Default => Self::coloured(Color::Cyan, Color::Yellow, Color::DarkGray, Color::Magenta),
            ThemeName::Light => Self::coloured(Color::Blue, Color::Red, Color::DarkGray, Color::Magenta),
            ThemeName::Contrast => Self::contrast(),
            ThemeName::Plain => Self::plain(),
        }
    }

    fn coloured(accent: Color, warning: Color, quiet: Color, keyword: Color) -> Self {
        let fg = |colour| Style::new().fg(colour);
        Self {
            text: Style::new(),
            quiet: fg(quiet),
            title: Style::new().add_modifier(Modifier::BOLD),
            accent: fg(accent).add_modifier(Modifier::BOLD),
            selected: Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED),
            resting: Style::new().add_modifier(Modifier::BOLD),
            rule: fg(quiet),
            warning: fg(warning).add_modifier(Modifier::BOLD),
            danger: fg(Color::Red).add_modifier(Modifier::BOLD),
            good: fg(Color::Green),
            bar: Style::new(),
            found: Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            added: fg(Color::Green),
            removed: fg(Color::Red),
            keyword: fg(keyword),
            string: fg(Color::Green),
            number: fg(accent),
            kinds: [fg(Color::Blue), fg(Color::Green), fg(accent), fg(Color::Red), fg(keyword)],
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
            bar: bold,
            kinds: [bold; 5],
            ..Self::coloured(Color::LightCyan, Color::LightYellow, Color::Gray, Color::LightMagenta)
        }
    }

    fn plain() -> Self {
        let (none, bold) = (Style::new(), Style::new().add_modifier(Modifier::BOLD));
        let dim = Style::new().add_modifier(Modifier::DIM);
        Self {
            text: none,
            quiet: dim,
            title: bold,
            accent: bold,
            selected: Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED),
            resting: bold,
            rule: dim,
            warning: bold,
            danger: bold,
            good: none,
            bar: none,
            found: Style::new().add_modifier(Modifier::UNDERLINED),
            added: none,
            removed: dim,
            keyword: bold,
            string: none,
            number: none,
            kinds: [bold; 5],
        }
    }

    /// How the name of a kind looks.
    pub fn kind(&self, kind: ItemKind) -> Style {
        self.kinds[match kind {
            ItemKind::Interrupt(Kind::Triage) => 0,
            ItemKind::Interrupt(Kind::Approval) => 1,
            ItemKind::Interrupt(Kind::Question) => 2,
            ItemKind::Interrupt(Kind::Trouble) => 3,
            ItemKind::Result => 4,
        }]
    }
}
