//! Pop-ups over the tabs. Layers form a stack: keys go only to the uppermost one.
//!
//! Each kind has a file or folder here with its state, its keys and its drawing. To add one, write such a file and add
//! its name to the list of [`Layer`].

mod bulk;
mod confirm;
pub mod form;
mod fuzzy;
mod help;
mod menu;
mod page;
mod palette;
mod prompt;
mod quit;
pub mod sessions;

pub use bulk::{Bulk, ask_bulk, why_marks_apart};
pub use confirm::{Confirm, OnConfirm};
pub use form::Form;
pub use help::Help;
pub use menu::{Choice, Menu};
pub use page::Page;
pub use prompt::{Prompt, PromptKind, ask};
pub use quit::{QuitPrompt, quit};
pub use sessions::Sessions;

use crate::tui::actions::{Action, Scope};
use crate::tui::key::Key;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Press};
use crate::tui::{draw, layout};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What every kind of layer does.
trait Popup {
    /// The scope of its keys.
    fn scope(&self) -> Scope;

    /// Runs an action while this kind of layer is uppermost.
    fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd>;

    /// Draws it; `false` if there is no room to read the question.
    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool;

    /// The actions worth showing in the footer, most important first.
    fn footer(&self) -> Vec<(Action, &'static str)>;

    /// Handles a key as text, if there is a text field here; says whether it did.
    fn type_key(&mut self, _key: Key) -> bool {
        false
    }

    /// Handles pasted text, if there is a text field here; says whether it did.
    fn paste(&mut self, _text: &str) -> bool {
        false
    }

    /// Reacts to text that was typed or pasted.
    fn text_changed(_model: &mut Model) -> Vec<Cmd> {
        Vec::new()
    }

    /// Scrolls by lines like the mouse wheel, if it can scroll.
    fn scroll(_model: &mut Model, _by: isize) {}
}

macro_rules! layers {
    ($($kind:ident $about:literal,)*) => {
        #[derive(Clone, Debug)]
        pub enum Layer {
            $(#[doc = $about] $kind(Box<$kind>),)*
        }

        impl Layer {
            /// The scope of its keys.
            pub fn scope(&self) -> Scope {
                match self { $(Layer::$kind(layer) => layer.scope(),)* }
            }

            /// Draws it; `false` if there is no room to read the question.
            pub fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
                match self { $(Layer::$kind(layer) => layer.draw(model, frame),)* }
            }

            /// The actions worth showing in the footer, most important first.
            pub fn footer(&self) -> Vec<(Action, &'static str)> {
                match self { $(Layer::$kind(layer) => layer.footer(),)* }
            }

            fn type_key(&mut self, key: Key) -> bool {
                match self { $(Layer::$kind(layer) => layer.type_key(key),)* }
            }

            fn paste(&mut self, text: &str) -> bool {
                match self { $(Layer::$kind(layer) => layer.paste(text),)* }
            }
        }

        /// Runs an action in the uppermost layer.
        pub fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
            match model.layer() {
                $(Some(Layer::$kind(_)) => $kind::act(model, action, press),)*
                None => Vec::new(),
            }
        }

        /// Scrolls the uppermost layer by lines.
        pub fn scroll(model: &mut Model, by: isize) {
            match model.layer() {
                $(Some(Layer::$kind(_)) => $kind::scroll(model, by),)*
                None => {}
            }
        }

        fn text_changed(model: &mut Model) -> Vec<Cmd> {
            match model.layer() {
                $(Some(Layer::$kind(_)) => $kind::text_changed(model),)*
                None => Vec::new(),
            }
        }

        $(
            impl $kind {
                /// The uppermost layer, if it is of this kind.
                pub fn uppermost(model: &mut Model) -> Option<&mut Self> {
                    match model.layers.last_mut() {
                        Some((_, Layer::$kind(layer))) => Some(layer),
                        _ => None,
                    }
                }
            }

            impl From<$kind> for Layer {
                fn from(layer: $kind) -> Self {
                    Layer::$kind(Box::new(layer))
                }
            }
        )*
    };
}

layers! {
    Confirm "A question that only `y` answers with yes.",
    Bulk "A question about many items.",
    Form "A form or a box.",
    Menu "A list to choose from.",
    Prompt "A line of text.",
    Page "Something to read.",
    Help "All keys.",
    Sessions "The sessions of coding agents.",
    QuitPrompt "The question at the end, while something is held.",
}

pub fn open(model: &mut Model, layer: impl Into<Layer>) -> Vec<Cmd> {
    model.push(layer);
    Vec::new()
}

/// Handles a key that has no meaning in the layer as text, if the layer takes text.
pub fn type_key(model: &mut Model, press: Press) -> Vec<Cmd> {
    if let Some(cmds) = form::refuse(model, press) {
        return cmds;
    }
    let is_changed = model.layers.last_mut().is_some_and(|(_, layer)| layer.type_key(press.key));
    if is_changed { text_changed(model) } else { Vec::new() }
}

/// Handles pasted text, if the layer takes text.
pub fn paste(model: &mut Model, text: &str) -> Vec<Cmd> {
    if model.layers.last_mut().is_some_and(|(_, layer)| layer.paste(text)) {
        return text_changed(model);
    }
    model.say("Pasted text is only used where you write");
    Vec::new()
}

/// Where layers are drawn. The footer stays visible because it shows the keys, and so does the tour's text.
fn screen(model: &Model) -> Rect {
    let areas = layout::areas(model);
    let height = match areas.tour.height {
        0 => model.size.1.saturating_sub(areas.footer.height),
        _ => areas.tour.y,
    };
    Rect { x: 0, y: 0, width: model.size.0, height }
}

fn cells(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Draws keys on the last line of a box.
fn draw_keys(model: &Model, buf: &mut Buffer, inner: Rect, keys: &[(&str, &str)]) {
    if inner.height == 0 {
        return;
    }
    let (mut x, y) = (inner.x, inner.bottom() - 1);
    for (key, text) in keys {
        x = draw::text(buf, inner, x, y, key, model.theme.accent);
        x = draw::text(buf, inner, x + 1, y, text, model.theme.text) + 3;
    }
}
