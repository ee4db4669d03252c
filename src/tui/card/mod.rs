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
    use crate::engine::graph::ThreadId;
    use crate::engine::graph::{Grade, Warning};
    use crate::inbox::{Block, BodyPiece, Card, DayStrip, Item, MailBlock, Span, ThreadResult, Tone};
    use crate::text::{Visible, width};
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
        assert_eq!(folded, ["!! No. 3", "! No. 2", "! No. 4", "▸ 2 more"]);
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
        assert!(shown.contains(&"▸ the agent asked: Lena asks: “When?”".to_owned()), "{shown:?}");
    }

    fn card(title: &str, blocks: Vec<Block>, folds: Folds) -> Doc {
        let thread = ThreadId::parse("t12345678").unwrap();
        let (title, ended_at) = (title.to_owned(), jiff::Timestamp::UNIX_EPOCH);
        let (workflow, output, text) = (String::new(), serde_json::Value::Null, String::new());
        let item = Item::Result(ThreadResult { thread, workflow, title, output, text, ended_at });
        let context = CardContext { verdict: "Ready to send → eve@x.example".to_owned(), answers: &[] };
        Doc::new(&item, std::sync::Arc::new(Card { blocks }), &context, folds)
    }

    #[test]
    fn what_will_happen_stands_in_a_frame_and_the_original_below() {
        let mail = MailBlock {
            from: Visible::line("Eve"),
            subject: Visible::line("Lunch"),
            body: vec![BodyPiece { quoted: false, text: Visible::new("At noon?\n日本") }],
            ..MailBlock::default()
        };
        let sent = [("Subject", "Re: Lunch"), ("To", "eve@x.example")];
        let blocks = vec![
            Block::panel("This will be sent", vec![Block::fields(sent), Block::text("Yes, 日本.")]),
            Block::fields([("Left out", "ann@x.example")]),
            Block::Mail(Box::new(mail)),
        ];
        let doc = card("Lunch", blocks.clone(), Folds::default());
        assert_eq!(
            drawn(&doc),
            [
                "Ready to send → eve@x.example",
                "",
                "╭─ This will be sent ──────────────────────────────────────╮",
                "│ Subject  Re: Lunch                                       │",
                "│ To       eve@x.example                                   │",
                "│                                                          │",
                "│ Yes, 日本.                                               │",
                "╰──────────────────────────────────────────────────────────╯",
                "",
                "Left out  ann@x.example",
                "",
                "▸ Eve: At noon?",
            ]
        );
        assert_eq!(doc.below().piece, 8, "whoever writes sees what stands below the frame");
        let theme = Theme::new(ThemeName::Plain, Colours::None);
        for columns in 1..80 {
            let lines = doc.lines(ScrollPosition::default(), columns, 100, &theme);
            let widths = lines.iter().map(|line| line.spans.iter().map(|span| width(&span.content)).sum());
            assert!(widths.max().is_some_and(|widest: usize| widest <= columns.max(2)), "{columns}");
        }
        let open = drawn(&card("Other", blocks, Folds { open: true, headers: false }));
        assert!(open.contains(&"Other".to_owned()) && open.contains(&"At noon?".to_owned()), "{open:?}");
    }

    #[test]
    fn a_command_is_not_said_twice() {
        let code = Block::Code { language: "sh".to_owned(), text: Visible::new("git push\necho done") };
        let blocks = vec![Block::panel("This will run", vec![code])];
        for (title, is_shown) in [("$ git push", false), ("$ git pu…", false), ("Publish it", true)] {
            let shown = drawn(&card(title, blocks.clone(), Folds::default()));
            assert_eq!(shown.contains(&title.to_owned()), is_shown, "{shown:?}");
            assert!(shown.iter().any(|line| line.starts_with("│ git push  ")), "{shown:?}");
        }
    }

    #[test]
    fn cells_wrap_in_tables_of_any_length() {
        let row = |n: usize| vec![Visible::line(&n.to_string()), Visible::line(&"many words ".repeat(12))];
        let table = Block::Table { head: row(0), rows: (1..200).map(row).collect() };
        let shown = drawn(&Doc::untitled(vec![table], Folds::default()));
        assert!(shown.iter().all(|line| !line.contains('…')), "{shown:?}");
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
                Block::panel(&words[2], vec![
                    Block::Text(text(1)),
                    Block::Code { language: "sh".to_owned(), text: text(0) },
                    Block::fields([(&words[4], &words[3])]),
                    Block::Table { head: vec![text(3)], rows: vec![vec![text(4)]] },
                ]),
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
