//! Pop-ups over the tabs. They form a stack: keys go only to the uppermost one.

use super::Model;
use crate::tui::actions::{Action, Scope};
use crate::tui::editor::Editor;
use crate::tui::key::Key;
use ratatui::terminal::Frame;
use std::any::Any;

/// What every pop-up does. It owns its keys, its drawing, and what happens when it is answered.
pub trait Popup: Any + Send {
    /// The scope of its keys.
    fn scope(&self) -> Scope;

    /// Runs an action. Returns itself, unless that closes it. It is not in the stack meanwhile.
    fn act(self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>>;

    /// Ok if an action does something here; otherwise the reason as a sentence, or nothing if none is worth showing.
    fn available(&self, _model: &Model, _action: Action) -> Result<(), &'static str> {
        Ok(())
    }

    /// Draws it; `false` if there is no room to read the question.
    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool;

    /// The actions worth showing in the footer, most important first.
    fn footer(&self) -> Vec<(Action, &'static str)>;

    /// Its text field, if it has one.
    fn editor(&mut self) -> Option<&mut Editor> {
        None
    }

    /// Handles a key as text, if there is a text field here; says whether it did.
    fn type_key(&mut self, key: Key) -> bool {
        self.editor().is_some_and(|editor| editor.key(key))
    }

    /// Handles pasted text, if there is a text field here; says whether it did.
    fn paste(&mut self, text: &str) -> bool {
        self.editor().map(|editor| editor.insert(text)).is_some()
    }

    /// Reacts to text that was typed or pasted.
    fn text_changed(&mut self, _model: &mut Model) {}

    /// The answer that this key gives at once, without being an action.
    fn quick_answer(&self, _model: &Model, _key: Key) -> Option<String> {
        None
    }

    /// Gives such an answer. Returns itself, unless that closes it.
    fn answer(self: Box<Self>, _model: &mut Model, _answer: &str) -> Option<Box<dyn Popup>> {
        None
    }

    /// Turns the mouse wheel over it by so many notches: moves the selection, or scrolls three lines for each.
    fn wheel(&mut self, model: &Model, by: isize);

    /// How it shares the screen with the card it is about, if it does.
    fn beside_card(&self) -> Option<Beside> {
        None
    }

    /// Whether choosing here changes something outside, so that the key must be meant.
    fn choice_decides(&self) -> bool {
        false
    }

    /// Whether it covers the line where notes are shown.
    fn covers_note(&self) -> bool {
        false
    }
}

/// How much room a pop-up about the card needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// A plain text box.
    Box,
    /// A form with fields.
    Fields,
    /// A mail of its own, which is about no card but stands where one would.
    Nothing,
}

/// A pop-up in the stack.
pub struct Layer {
    /// No two have the same.
    pub number: u64,
    pub popup: Box<dyn Popup>,
}

impl Model {
    /// The uppermost pop-up.
    pub fn popup(&self) -> Option<&dyn Popup> {
        self.layers.last().map(|layer| &*layer.popup)
    }

    /// Puts a pop-up on top.
    pub fn push(&mut self, popup: impl Popup) {
        self.layers.push(Layer { number: self.next_layer, popup: Box::new(popup) });
        self.next_layer += 1;
        self.layer_shown = None;
    }

    /// The uppermost pop-up, if it is of this kind.
    pub fn top<P: Popup>(&self) -> Option<&P> {
        (self.popup()? as &dyn Any).downcast_ref()
    }

    /// The uppermost pop-up, if it is of this kind.
    pub fn top_mut<P: Popup>(&mut self) -> Option<&mut P> {
        (&mut *self.layers.last_mut()?.popup as &mut dyn Any).downcast_mut()
    }

    /// Takes the uppermost pop-up out of the stack while it works, and puts it back if it stays.
    pub fn with_popup(&mut self, work: impl FnOnce(&mut Model, Box<dyn Popup>) -> Option<Box<dyn Popup>>) {
        let Some(Layer { number, popup }) = self.layers.pop() else { return };
        let at = self.layers.len();
        if let Some(popup) = work(self, popup) {
            self.layers.insert(at, Layer { number, popup });
        }
    }
}
