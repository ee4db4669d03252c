//! Cuts a card into pieces of a few kilobytes: the proposal first, then the conversation, then earlier answers.

use super::doc::{Doc, Edge, Piece, PieceKind, Place, Source, is_same_subject};
use super::highlight::{Language, highlight};
use super::table;
use crate::engine::graph::Warning;
use crate::inbox::door::name_words;
use crate::inbox::{AnswerKind, Block, Card, DecisionView, Item, Span};
use crate::text::{Markdown, Visible, width};
use crate::tui::words;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// Longer pieces are cut, so that laying one out takes no noticeable time.
const MAX_PIECE_BYTES: usize = 4096;

/// Longer text is shown unprocessed: quotes are not folded and code is not coloured.
const MAX_STYLED_BYTES: usize = 1024 * 1024;

/// Shorter quotes, in lines, are not folded.
pub(super) const MIN_FOLDED_QUOTE: usize = 4;

/// How many warnings a card leads with.
const MAX_SHOWN_WARNINGS: usize = 3;

/// Longer names of fields are cut, so that their values have room.
const MAX_NAME_WIDTH: usize = 24;

/// Which parts of a card are unfolded; at first none are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    /// Quotes, older mails, older turns, and all but the gravest warnings.
    pub open: bool,
    /// Every header of a mail.
    pub headers: bool,
}

/// What is shown around the card: what the item is, and earlier answers.
#[derive(Clone, Debug, Default)]
pub struct CardContext<'a> {
    /// What state the item is in, and whom it concerns.
    pub verdict: String,
    /// Earlier answers, each on one or more lines.
    pub answers: &'a [DecisionView],
}

impl Doc {
    /// Cuts an item's card into pieces.
    pub fn new(item: &Item, card: Arc<Card>, context: &CardContext<'_>, folds: Folds) -> Self {
        let title = Visible::line(item.title());
        let mut doc = Doc { card: card.clone(), title: title.to_string(), ..Self::default() };
        doc.push(PieceKind::Verdict, context.verdict.clone());
        if !says_title(&card, &title) {
            doc.push(PieceKind::Title, title.to_string());
        }
        doc.gap();
        if !card.flat().any(|block| matches!(block, Block::Warnings(_))) {
            doc.warnings(item.warnings(), folds);
        }
        doc.add(&card.blocks, folds);
        if card.flat().all(is_empty) {
            doc.arguments(item);
        }
        if doc.proposal == 0 {
            doc.proposal = doc.pieces.len();
        }
        doc.answers(context.answers);
        doc.drop_gaps();
        doc.proposal = doc.proposal.min(doc.pieces.len());
        doc
    }

    /// Only the proposal, without the title, for places that already show one.
    pub fn proposal_only(mut self, item: &Item) -> Self {
        self.pieces.truncate(self.proposal);
        // A card that shows nothing else says too little about what would be done.
        let is_frame = |piece: &Piece| {
            use PieceKind::{Edge, Gap, Heading, Meta, Title, Verdict, Warning};
            matches!(piece.kind, Verdict | Title | Meta | Gap | Heading | Warning(_) | Edge(_))
        };
        if self.pieces.iter().all(is_frame) {
            self.arguments(item);
        }
        self.pieces.retain(|piece| piece.kind != PieceKind::Title);
        self.parts.clear();
        self.mails.clear();
        self.finish()
    }

    /// Blocks without a title, for places that already show one.
    pub fn untitled(blocks: Vec<Block>, folds: Folds) -> Self {
        Self::of(Vec::new(), blocks, folds)
    }

    /// A titled page for content that is not a card.
    pub fn page(title: &str, meta: &str, blocks: Vec<Block>) -> Self {
        let head = [(PieceKind::Title, title), (PieceKind::Meta, meta)];
        let head = head.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        Self::of(head, blocks, Folds { open: true, headers: false })
    }

    fn of(head: Vec<(PieceKind, &str)>, blocks: Vec<Block>, folds: Folds) -> Self {
        let card = Arc::new(Card { blocks });
        let mut doc = Doc { card: card.clone(), ..Self::default() };
        for (kind, text) in head {
            doc.push(kind, Visible::line(text).into_string());
        }
        doc.gap();
        doc.add(&card.blocks, folds);
        doc.finish()
    }

    /// Cuts these blocks into pieces, and remembers where the proposal ends.
    fn add(&mut self, blocks: &[Block], folds: Folds) {
        let mut heading = None;
        for block in blocks {
            if matches!(block, Block::Turns(_) | Block::Mail(_)) && self.proposal == 0 {
                // The conversation's own heading is not part of the proposal.
                self.proposal = heading.unwrap_or(self.pieces.len());
            }
            heading = matches!(block, Block::Heading(_)).then_some(self.pieces.len());
            let is_title = matches!(block, Block::Heading(text) if self.blocks == 0 && **text == *self.title);
            if let Block::Panel { title, blocks } = block {
                self.place = Place::Inside;
                self.push(PieceKind::Edge(Edge::Upper), title.to_string());
                self.add(blocks, folds);
                self.drop_gaps();
                self.push(PieceKind::Edge(Edge::Lower), String::new());
                self.place = if self.is_card() { Place::Below } else { Place::Above };
                self.gap();
            } else {
                let place = self.place;
                // On a card, names and values are facts about what is asked; elsewhere they are what is shown.
                if matches!(block, Block::Fields(_)) && place == Place::Above && self.is_card() {
                    self.place = Place::Below;
                }
                if !is_title {
                    self.cut_block(self.blocks, block, folds);
                }
                self.blocks += 1;
                self.place = place;
            }
        }
    }

    /// Whether it is an item's card, and no other page.
    fn is_card(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.kind == PieceKind::Verdict)
    }

    /// Takes away empty lines at the end.
    fn drop_gaps(&mut self) {
        while self.pieces.last().is_some_and(|piece| piece.kind == PieceKind::Gap) {
            self.pieces.pop();
        }
    }

    fn finish(mut self) -> Self {
        self.drop_gaps();
        self.proposal = self.pieces.len();
        self
    }

    pub(super) fn push(&mut self, kind: PieceKind, text: String) {
        self.put(kind, Source::Own(text));
    }

    fn put(&mut self, kind: PieceKind, source: Source) {
        self.pieces.push(Piece { kind, source, place: self.place });
    }

    /// Begins a part here, unless its heading has just begun it.
    pub(super) fn begin_part(&mut self) {
        let has_heading = self.pieces.last().is_some_and(|piece| piece.kind == PieceKind::Heading);
        if !has_heading {
            self.parts.push(self.pieces.len());
        }
    }

    pub(super) fn gap(&mut self) {
        if self.pieces.last().is_some_and(|piece| piece.kind != PieceKind::Gap) {
            self.push(PieceKind::Gap, String::new());
        }
    }

    /// Cuts a part of the card into pieces of one kind.
    pub(super) fn cut(
        &mut self,
        kind: &PieceKind,
        block: usize,
        part: usize,
        text: &str,
        range: Range<usize>,
    ) {
        let mut start = range.start;
        while start < range.end {
            let end = piece_end(text, start, range.end);
            let source = Source::Card(block, part, start..end);
            let kind = match kind {
                PieceKind::Field { indent, .. } if start > range.start => {
                    PieceKind::Field { name: String::new(), indent: *indent }
                }
                kind => kind.clone(),
            };
            self.put(kind, source);
            start = end;
        }
    }

    /// Shows the gravest warnings; the others are folded to a line.
    fn warnings(&mut self, warnings: &[Warning], folds: Folds) {
        let mut gravest: Vec<&Warning> = warnings.iter().collect();
        gravest.sort_by_key(|warning| Reverse(warning.grade));
        let shown = if folds.open { gravest.len() } else { gravest.len().min(MAX_SHOWN_WARNINGS) };
        for warning in &gravest[..shown] {
            self.push(PieceKind::Warning(warning.grade), Visible::line(&warning.text).into_string());
        }
        if shown < gravest.len() {
            self.push(PieceKind::Fold, format!("{} more", gravest.len() - shown));
        }
        if !warnings.is_empty() {
            self.gap();
        }
    }

    fn cut_block(&mut self, n: usize, block: &Block, folds: Folds) {
        match block {
            Block::Warnings(warnings) => self.warnings(warnings, folds),
            Block::Heading(text) => {
                self.parts.push(self.pieces.len());
                self.cut(&PieceKind::Heading, n, 0, text, 0..text.len());
                return;
            }
            // Nothing that will happen is folded away.
            Block::Text(text) if self.place == Place::Inside => {
                self.cut(&PieceKind::Text, n, 0, text, 0..text.len());
            }
            Block::Text(text) => self.fold_quotes(&PieceKind::Text, n, 0, text, folds),
            Block::Markdown(text) => self.markdown(n, text),
            Block::Fields(fields) => {
                let indent =
                    fields.iter().map(|(name, _)| width(name)).max().unwrap_or(0).min(MAX_NAME_WIDTH) + 2;
                // A fact that the title says is not said again.
                let is_new =
                    |(_, value): &&(Visible, Visible)| self.place != Place::Below || **value != *self.title;
                let shown: Vec<_> = fields.iter().enumerate().filter(|(_, field)| is_new(field)).collect();
                for (part, (name, value)) in shown {
                    let kind = PieceKind::Field { name: name.to_string(), indent };
                    if value.is_empty() {
                        self.push(kind, String::new());
                    } else {
                        self.cut(&kind, n, part, value, 0..value.len());
                    }
                }
            }
            Block::Code { language, text } => self.code(n, Language::from_name(language), text),
            Block::Table { head, rows } => {
                let columns: Arc<[usize]> = table::columns(head, rows).into();
                for row in std::iter::once(None).chain((0..rows.len()).map(Some)) {
                    self.push(PieceKind::Row { block: n, row, columns: columns.clone() }, String::new());
                }
            }
            Block::Diff(spans) => {
                for (part, span) in spans.iter().enumerate() {
                    self.cut(&PieceKind::Diff(span.tone), n, part, &span.text, 0..span.text.len());
                }
            }
            Block::Words(spans) => self.words(n, spans),
            Block::Mail(mail) => self.mail(n, mail, folds),
            Block::Day(_) | Block::Bars(_) => self.push(PieceKind::Day { block: n }, String::new()),
            Block::Turns(turns) => self.turns(n, turns, folds),
            // Its blocks are cut one by one.
            Block::Panel { .. } => {}
        }
        self.gap();
    }

    fn words(&mut self, n: usize, spans: &[Span]) {
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        let mut from = 0;
        while from < text.len() {
            let end = piece_end(&text, from, text.len());
            self.push(PieceKind::Words { block: n, from }, text[from..end].to_owned());
            from = end;
        }
    }

    fn markdown(&mut self, n: usize, text: &str) {
        let (mut start, mut inside) = (0, Markdown::default());
        while start < text.len() {
            let end = piece_end(text, start, text.len());
            self.put(PieceKind::Markdown(inside), Source::Card(n, 0, start..end));
            inside = inside.after(&text[start..end]);
            start = end;
        }
    }

    fn code(&mut self, n: usize, language: Language, text: &str) {
        let language = if text.len() > MAX_STYLED_BYTES { Language::Other } else { language };
        let (mut start, mut inside) = (0, Default::default());
        while start < text.len() {
            let end = piece_end(text, start, text.len());
            self.put(PieceKind::Code { language, inside }, Source::Card(n, 0, start..end));
            if language == Language::Python {
                for line in text[start..end].split('\n') {
                    inside = highlight(line, language, inside).1;
                }
            }
            start = end;
        }
    }

    fn fold_quotes(&mut self, kind: &PieceKind, n: usize, part: usize, text: &str, folds: Folds) {
        if folds.open || text.len() > MAX_STYLED_BYTES {
            return self.cut(kind, n, part, text, 0..text.len());
        }
        let (mut plain_from, mut quote_from, mut quoted, mut offset) = (0, 0, 0, 0);
        for line in text.split_inclusive('\n').chain(std::iter::once("")) {
            if line.starts_with('>') {
                if quoted == 0 {
                    quote_from = offset;
                }
                quoted += 1;
            } else {
                if quoted >= MIN_FOLDED_QUOTE {
                    self.cut(kind, n, part, text, plain_from..quote_from);
                    self.push(PieceKind::Fold, format!("{quoted} quoted lines"));
                    plain_from = offset;
                }
                quoted = 0;
            }
            offset += line.len();
        }
        self.cut(kind, n, part, text, plain_from..text.len());
    }

    /// Shows the newest turn first, and open unless a panel stands above; older ones are folded to a line.
    fn turns(&mut self, n: usize, turns: &[(Visible, Visible)], folds: Folds) {
        for (age, (part, (who, text))) in turns.iter().enumerate().rev().enumerate() {
            self.begin_part();
            if (age > 0 || self.place == Place::Below) && !folds.open {
                let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                let mut words = lines.next().unwrap_or_default().to_owned();
                // "Lena asks:" alone says nothing.
                if words.ends_with(':')
                    && let Some(next) = lines.next()
                {
                    words = format!("{words} {next}");
                }
                self.push(PieceKind::Fold, format!("{who}: {}", Visible::line(&words)));
                continue;
            }
            self.push(PieceKind::Who, who.to_string());
            self.fold_quotes(&PieceKind::Said, n, part, text, folds);
            self.gap();
        }
    }

    /// Shows the proposed arguments, for cards that say nothing.
    fn arguments(&mut self, item: &Item) {
        let Some(fields) = item.data().as_object() else { return };
        let indent = fields.keys().map(|name| width(name)).max().unwrap_or(0).min(MAX_NAME_WIDTH) + 2;
        for (name, value) in fields {
            let kind = PieceKind::Field { name: Visible::line(name).into_string(), indent };
            self.push(kind, words::value(value).into_string());
        }
    }

    fn answers(&mut self, answers: &[DecisionView]) {
        let in_effect: Vec<&DecisionView> =
            answers.iter().filter(|answer| answer.undone_at.is_none()).collect();
        if in_effect.is_empty() {
            return;
        }
        self.gap();
        self.parts.push(self.pieces.len());
        self.push(PieceKind::Heading, "Your earlier answers".to_owned());
        for answer in in_effect.iter().rev() {
            let text = words::answer_text(&answer.args);
            let what = describe_answer(answer);
            let kind = PieceKind::Field {
                name: Visible::line(&answer.at.strftime("%b %d %H:%M").to_string()).into_string(),
                indent: 14,
            };
            let text = if text.is_empty() { what } else { format!("{what}\n{text}") };
            self.push(kind, Visible::new(&text).into_string());
        }
    }
}

/// An earlier answer in words.
fn describe_answer(answer: &DecisionView) -> String {
    let how = match (answer.r#type.as_str(), answer.action.as_str()) {
        ("edit", "notify") => "wrote a mail",
        (word, _) => word.parse().map_or(word, |answer: AnswerKind| answer.past()),
    };
    match answer.action.as_str() {
        // Every mail that is shown asks with this.
        "notify" => how.to_owned(),
        action => format!("{how} · {}", name_words(action)),
    }
}

fn is_empty(block: &Block) -> bool {
    match block {
        Block::Warnings(_) => true,
        Block::Heading(text) | Block::Text(text) | Block::Markdown(text) | Block::Code { text, .. } => {
            text.trim().is_empty()
        }
        Block::Fields(fields) => fields.is_empty(),
        Block::Table { rows, .. } => rows.is_empty(),
        Block::Diff(spans) | Block::Words(spans) => spans.is_empty(),
        Block::Mail(_) | Block::Day(_) | Block::Bars(_) => false,
        Block::Turns(turns) => turns.is_empty(),
        Block::Panel { blocks, .. } => blocks.iter().all(is_empty),
    }
}

/// Whether a panel says the title, so that nothing need say it twice: as a subject, or as the command that runs.
fn says_title(card: &Card, title: &str) -> bool {
    let command = title.strip_prefix("$ ").map(|command| command.trim_end_matches('…'));
    let says = |block: &Block| match block {
        Block::Fields(fields) => fields.iter().any(|(_, value)| is_same_subject(value, title)),
        Block::Code { text, .. } => command.is_some_and(|command| text.starts_with(command)),
        _ => false,
    };
    card.blocks.iter().any(|block| matches!(block, Block::Panel { blocks, .. } if blocks.iter().any(says)))
}

/// The end of the piece that begins at `start`: after a newline or a space if there is one.
fn piece_end(text: &str, start: usize, limit: usize) -> usize {
    let mut end = (start + MAX_PIECE_BYTES).min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end == limit {
        return end;
    }
    let window = &text.as_bytes()[start..end];
    let line_break = window
        .iter()
        .rposition(|byte| *byte == b'\n')
        .or_else(|| window.iter().rposition(|byte| *byte == b' '));
    line_break.map_or(end, |at| start + at + 1)
}
