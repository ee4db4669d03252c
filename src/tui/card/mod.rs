//! A card to scroll through.
//!
//! A [`Doc`] cuts a card into small pieces when it arrives. Only the pieces on the screen are laid out, so a card of 50
//! MB scrolls as fast as one of a page. Nothing is cached by width, so a resize also costs only one screen.

mod build;
mod doc;
mod highlight;
mod lay;
mod mail;
mod scroll;
mod table;

pub use build::{CardContext, Folds};
pub use doc::Doc;
pub use mail::link;
pub use scroll::ScrollPosition;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ThemeName;
    use crate::engine::graph::{Grade, Warning};
    use crate::inbox::{Block, BodyPiece, DayStrip, MailBlock, Span, Tone};
    use crate::text::Visible;
    use crate::tui::theme::{Colours, Theme};
    use proptest::prelude::*;

    fn drawn(doc: &Doc) -> Vec<String> {
        let theme = Theme::new(ThemeName::Plain, Colours::None);
        let lines = doc.lines(ScrollPosition::default(), 60, 20, &theme);
        lines.iter().map(|line| line.spans.iter().map(|span| &*span.content).collect()).collect()
    }

    #[test]
    fn a_long_name_of_a_field_is_shown_whole() {
        let field = (Visible::line("response_preferences"), Visible::line("version 1"));
        let doc = Doc::untitled(vec![Block::Fields(vec![field])], Folds::default());
        assert_eq!(drawn(&doc), ["response_preferences  version 1"]);
    }

    #[test]
    fn a_warning_has_the_same_sign_as_in_lists() {
        for grade in [Grade::Info, Grade::Caution, Grade::Danger] {
            let warnings = vec![Warning::new(grade, "odd", "Odd.")];
            let doc = Doc::untitled(vec![Block::Warnings(warnings)], Folds::default());
            assert!(drawn(&doc).contains(&format!("{} Odd.", grade.mark())), "{:?}", drawn(&doc));
        }
    }

    #[test]
    fn a_card_leads_with_the_three_gravest_warnings() {
        let grades = [Grade::Info, Grade::Caution, Grade::Danger, Grade::Caution, Grade::Info];
        let warnings =
            grades.into_iter().zip(1..).map(|(grade, n)| Warning::new(grade, "odd", format!("No. {n}")));
        let blocks = vec![Block::Warnings(warnings.collect())];
        let folded = drawn(&Doc::untitled(blocks.clone(), Folds::default()));
        assert_eq!(folded, ["!! No. 3", "! No. 2", "! No. 4", "▸ 2 more  (T)"]);
        let open = drawn(&Doc::untitled(blocks, Folds { open: true, headers: false }));
        assert_eq!(open, ["!! No. 3", "! No. 2", "! No. 4", "i No. 1", "i No. 5"]);
    }

    #[test]
    fn a_folded_turn_says_more_than_who_asks() {
        let turn = |who: &str, text: &str| (Visible::line(who), Visible::new(text));
        let turns = vec![turn("the agent asked", "Lena asks:\n\n“When?”"), turn("you", "Later.")];
        let doc = Doc::untitled(vec![Block::Turns(turns)], Folds::default());
        assert!(doc.has_folds());
        let shown = drawn(&doc);
        assert!(shown.contains(&"▸ the agent asked: Lena asks: “When?”  (T)".to_owned()), "{shown:?}");
    }

    proptest! {
        /// Scrolling counts lines without drawing them, so both must agree: the end of a proposal may count as seen
        /// only if it was drawn.
        #[test]
        fn lines_are_counted_as_they_are_drawn(
            words in prop::collection::vec("[a-c#*`|> 漢\t\n-]{0,80}", 5), columns in 1_usize..60
        ) {
            let text = |n: usize| Visible::new(&words[n]);
            let body = [(false, 0), (true, 1)].map(|(quoted, n)| BodyPiece { quoted, text: text(n) }).to_vec();
            let mail = MailBlock { from: text(2), to: text(3), subject: text(4), body, hidden: 1, ..Default::default() };
            let blocks = vec![
                Block::Text(text(0)),
                Block::Markdown(text(1)),
                Block::Code { language: "python".to_owned(), text: text(2) },
                Block::Fields(vec![(Visible::line(&words[3]), text(4))]),
                Block::Table { head: vec![text(0)], rows: vec![vec![text(1)]] },
                Block::Mail(Box::new(mail)),
                Block::Day(DayStrip { about: text(3), busy: vec![0..90, 300..310], all_day: false, proposed: 600..640 }),
                Block::Turns(vec![(Visible::line(&words[0]), text(1))]),
                Block::Words(vec![
                    Span { tone: Tone::Removed, text: text(3) },
                    Span { tone: Tone::Added, text: text(4) },
                ]),
            ];
            let doc = Doc::page(&words[0], &words[1], blocks);
            let drawn = doc.lines(ScrollPosition::default(), columns, 100_000, &Theme::new(ThemeName::Plain, Colours::None)).len();
            let counted: usize = (0..doc.pieces.len()).map(|piece| doc.height(piece, columns)).sum();
            prop_assert_eq!(drawn, counted);
        }
    }
}
