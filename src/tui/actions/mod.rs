//! The one table of actions: keys in every scope, names, help texts, and what each action does. Dispatch, footer, help,
//! palette, the config's keys and `docs/keys.md` all read it.

mod available;
mod keymap;

pub use keymap::{Keymap, Lookup};

use super::layers::{self, Help, PromptKind, form};
use super::model::Model;
use super::msg::{Cmd, HistoryPurpose, Press};
use super::tabs::inbox::{self, Filter, away, decide, grant, history, mail, marks, menus, news, skipped};
use super::tabs::threads::{self, review};
use super::tabs::{self, Tab, activity, memory, moves};
use crate::graph::Kind;
use crate::inbox::ItemKind;
use crate::service::Destination;

/// Where a key has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere except in a layer.
    Global,
    /// The inbox's list, and the lists of the other tabs.
    List,
    Card,
    /// Wherever an item is selected: in its list or its card.
    Decide,
    /// The thread shown in the Threads tab.
    Thread,
    Memory,
    Activity,
    /// A yes-or-no question.
    Confirm,
    /// The question asked when quitting.
    Quit,
    /// A form or a text box.
    Form,
    /// A list to choose from.
    Menu,
    /// One line of text: search and palette.
    Prompt,
}

impl Scope {
    /// In the order help shows them.
    pub const ALL: [Scope; 12] = [
        Scope::Global,
        Scope::List,
        Scope::Card,
        Scope::Decide,
        Scope::Thread,
        Scope::Memory,
        Scope::Activity,
        Scope::Confirm,
        Scope::Quit,
        Scope::Form,
        Scope::Menu,
        Scope::Prompt,
    ];

    /// The heading in help.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Global => "Everywhere",
            Scope::List => "In a list",
            Scope::Card => "In the card",
            Scope::Decide => "On an item",
            Scope::Thread => "On a thread, in Threads",
            Scope::Memory => "On a profile, in Memory",
            Scope::Activity => "In Activity",
            Scope::Confirm => "When asked yes or no",
            Scope::Quit => "When quitting while something is held",
            Scope::Form => "In a form or a box",
            Scope::Menu => "In a menu or a review",
            Scope::Prompt => "In search, help and palette",
        }
    }

    /// Whether its keys act on the selection.
    pub fn is_about_selection(self) -> bool {
        matches!(self, Scope::Decide | Scope::Thread | Scope::Memory | Scope::Activity)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub scope: Scope,
    /// The keys as people write them; any one of them works.
    pub keys: &'static [&'static str],
    pub action: Action,
    /// The help text, if it differs from the action's own.
    pub label: Option<&'static str>,
}

macro_rules! optional {
    ($text:literal) => {
        Some($text)
    };
    () => {
        None
    };
}

macro_rules! actions {
    (
        |$model:ident, $action:ident, $press:ident|
        $($scope:ident {
            $($variant:ident [$($key:literal),*] $(as $label:literal)?
                $($name:literal: $help:literal $(=> $run:expr)?)?,)*
        })*
    ) => {
        /// Something the user can ask the screen to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($($(#[doc = $help] $variant,)?)*)*
        }

        impl Action {
            pub const ALL: &'static [Action] = &[$($($({ let _ = $name; Action::$variant },)?)*)*];

            /// The name in the config and the palette.
            pub fn name(self) -> &'static str {
                match self { $($($(Action::$variant => $name,)?)*)* }
            }

            /// What it does, in a few words.
            pub fn help(self) -> &'static str {
                match self { $($($(Action::$variant => $help,)?)*)* }
            }

            /// Runs it in the current tab. Actions that only make sense in a layer do nothing here.
            fn run_in_tab(self, $model: &mut Model, $press: Press) -> Vec<Cmd> {
                let $action = self;
                match self {
                    $($($($(Action::$variant => $run,)?)?)*)*
                    _ => Vec::new(),
                }
            }
        }

        /// Every key binding.
        pub const BINDINGS: &[Binding] = &[$($(Binding {
            scope: Scope::$scope,
            keys: &[$($key),*],
            action: Action::$variant,
            label: optional!($($label)?),
        },)*)*];
    };
}

// An action is declared in the first scope that has it, with its config name, its help and what it does. Other scopes
// only give it keys, and their own label (`as`) if it does something else there.
actions! {
    |model, action, press|

    Global {
        TabInbox ["1"] "inbox": "the inbox" => inbox::enter(model),
        TabThreads ["2"] "threads": "all threads" => tabs::go(model, Tab::Threads),
        TabMemory ["3"] "memory": "what was learned" => tabs::go(model, Tab::Memory),
        TabActivity ["4"] "activity": "what is going on" => tabs::go(model, Tab::Activity),
        NextTab ["gt"] "next_tab": "next tab" => tabs::turn(model, 1),
        PreviousTab ["gT"] "previous_tab": "previous tab" => tabs::turn(model, 3),
        ShowAll ["gi"] "show_all": "show everything" => inbox::show(model, Filter::All),
        ShowApprovals ["ga"] "show_approvals": "show approvals"
            => inbox::show(model, Filter::interrupts(Kind::Approval)),
        ShowTriage ["gn"] "show_triage": "show triage"
            => inbox::show(model, Filter::interrupts(Kind::Triage)),
        ShowQuestions ["gq"] "show_questions": "show questions"
            => inbox::show(model, Filter::interrupts(Kind::Question)),
        ShowTrouble ["gx"] "show_trouble": "show trouble"
            => inbox::show(model, Filter::interrupts(Kind::Trouble)),
        ShowResults ["gd"] "show_results": "show results"
            => inbox::show(model, Filter::Kind(ItemKind::Result)),
        ShowSnoozed ["gs"] "show_snoozed": "show snoozed items" => inbox::show(model, Filter::Snoozed),
        ShowHeld ["go"] "show_held": "show held decisions" => inbox::show(model, Filter::Held),
        ShowRunning ["gr"] "show_running": "show running threads" => inbox::show(model, Filter::Running),
        ShowSkipped ["gk"] "show_skipped": "show skipped mail"
            => inbox::show(model, Filter::Skipped),
        ShowDecisions ["gh"] "show_decisions": "show past decisions" => inbox::show(model, Filter::Decided),
        LastLesson ["gl"] "last_lesson": "undo or narrow the last thing learned" => news::offer(model),
        ShowSessions ["gc"] "sessions": "show the sessions of coding agents" => layers::sessions::show(model),
        Search ["/"] "search": "search the list" => layers::ask(model, PromptKind::Search),
        SearchNext ["n"] "search_next": "next match" => moves::find(model, true),
        SearchPrevious ["N"] "search_previous": "previous match" => moves::find(model, false),
        Narrow ["\\"] "narrow": "filter the list" => tabs::narrow(model),
        Palette [":"] "palette": "every action by name" => layers::ask(model, PromptKind::Palette),
        Help ["?"] "help": "all keys" => layers::open(model, Help::default()),
        NewThread ["c"] "new_thread": "new thread" => form::choose_workflow(model),
        Undo ["u"] "undo": "undo the last decision or snooze" => decide::undo(model, press),
        Pause ["!"] "pause": "pause or resume everything" => vec![Cmd::Pause(!model.is_paused())],
        FetchMail ["$"] "fetch_mail": "check mail now" => vec![Cmd::FetchMail],
        Clear ["esc"] "clear": "clear or close" => tabs::clear(model),
        Back ["q"] "back": "go back, or quit at the top" => tabs::back(model),
        Quit ["Q"] "quit": "quit" => layers::quit(model),
        CloseLayer ["ctrl-c"] "close_layer": "close what is open" => tabs::explain_quit(model),
        Redraw ["ctrl-l"] "redraw": "redraw the screen" => vec![Cmd::Redraw],
        Suspend ["ctrl-z"] "suspend": "go to the shell; `fg` returns" => vec![Cmd::Suspend],
    }

    List {
        Down ["j", "down"] "down": "down" => moves::act(model, action),
        Up ["k", "up"] "up": "up" => moves::act(model, action),
        Top ["gg", "home"] "top": "to the top" => moves::act(model, action),
        Bottom ["G", "end"] "bottom": "to the end" => moves::act(model, action),
        PageDown ["ctrl-d", "pagedown"] "page_down": "half a page down" => moves::act(model, action),
        PageUp ["ctrl-u", "pageup"] "page_up": "half a page up" => moves::act(model, action),
        CardDown ["J"] "card_down": "scroll the card down" => moves::act(model, action),
        CardUp ["K"] "card_up": "scroll the card up" => moves::act(model, action),
        Open ["enter", "l", "tab", "right"] "open": "open the card" => moves::act(model, action),
        Mark ["space"] "mark": "mark" => marks::mark(model, action),
        MarkRange ["V"] "mark_range": "mark from the last mark to here" => marks::mark(model, action),
        MarkAll ["*"] "mark_all": "mark all shown" => marks::mark(model, action),
        MarkSame ["="] "mark_same": "mark all from this sender; in decisions, list them" => marks::mark(model, action),
        Sort ["s"] "sort": "sort and group" => menus::offer_sorts(model),
        FoldGroup ["-"] "fold_group": "fold the group" => menus::fold(model),
        UnfoldGroups ["+"] "unfold_groups": "unfold all groups" => menus::unfold(model),
    }

    Card {
        CardDown ["j", "down"] as "scroll down",
        CardUp ["k", "up"] as "scroll up",
        PageDown ["space", "ctrl-d", "pagedown"] as "a page down",
        PageUp ["b", "ctrl-u", "pageup"] as "a page up",
        Top ["gg", "home"],
        Bottom ["G", "end"],
        NextItem ["J"] "next_item": "next item" => moves::act(model, action),
        PreviousItem ["K"] "previous_item": "previous item" => moves::act(model, action),
        NextPart ["]"] "next_part": "next part of the card" => moves::act(model, action),
        PreviousPart ["["] "previous_part": "previous part of the card" => moves::act(model, action),
        Quotes ["T"] "quotes": "fold or unfold quotes and older parts" => moves::act(model, action),
        Headers ["H"] "headers": "show or hide a mail's headers" => moves::act(model, action),
        Attachments ["v"] "attachments": "save or open attachments" => mail::attachments(model),
        Links ["L"] "links": "list links and where they lead" => mail::links(model),
        Pipe ["|"] "pipe": "pipe the mail through a command" => mail::ask_pipe(model),
        Leave ["h", "tab", "left"] "leave": "back to the list" => moves::act(model, action),
    }

    Decide {
        Accept ["a"] "accept": "accept" => decide::act(model, action, press),
        AcceptGrant ["A"] "accept_and_grant": "accept, and allow more of the same"
            => grant::offer(model, press),
        Edit ["e"] "edit": "edit" => form::edit(model),
        EditOutside ["E"] "edit_outside": "edit in $EDITOR" => form::edit_outside(model),
        Respond ["r"] "respond": "respond" => form::respond(model),
        RefuseAndStop ["R"] "refuse_and_stop": "refuse, and stop the agent's session"
            => decide::ask_to_stop(model),
        Ignore ["i"] "ignore": "ignore" => decide::act(model, action, press),
        IgnoreQuietly ["I"] "ignore_quietly": "ignore without learning" => decide::act(model, action, press),
        Snooze ["z"] "snooze": "snooze" => menus::offer_snooze(model),
        SaveDraft ["D"] "save_draft": "save as a draft" => decide::act(model, action, press),
        Reclassify ["C"] "reclassify": "reclassify the mail" => skipped::offer(model),
        Archive ["f"] "archive": "archive the mail" => away::ask(model, Destination::Archive),
        Delete ["d"] "delete": "move the mail to the trash" => away::ask(model, Destination::Trash),
        Spam ["S"] "spam": "move the mail to spam" => away::ask(model, Destination::Spam),
        MoveMail ["m"] "move_mail": "move the mail to a folder" => away::ask_folder(model),
        PutBack ["M"] "put_back": "put moved mail back, in past decisions" => history::put_back(model),
        Unsubscribe ["U"] "unsubscribe": "leave the mailing list; asks first" => mail::unsubscribe(model),
        Stop ["X"] as "stop the thread; revoke a grant" "stop": "stop the thread" => tabs::stop(model, press),
        Why ["w"] "why": "why it is here, and what it cost" => decide::ask_why(model),
        OpenThread ["t"] "open_thread": "show the thread" => threads::open_thread(model),
        Behind ["gb"] "behind": "the grant or lesson of a past decision" => history::ask_links(model),
        Copy ["y"] "copy": "copy" => decide::copy(model),
        Terminal ["gw"] "terminal": "go to the agent's terminal" => layers::sessions::focus_asker(model),
    }

    Thread {
        NextView ["l", "right", "}"] "next_view": "next view: steps, trace, graph, state"
            => review::switch_view(model, action),
        PreviousView ["h", "left", "{"] "previous_view": "previous view"
            => review::switch_view(model, action),
        NextPart ["]"] as "next step",
        PreviousPart ["["] as "previous step",
        StateDiff ["d"] "state_diff": "what a step changed, or the whole state"
            => review::toggle_whole_state(model),
        ShowPrompt ["p"] "show_prompt": "what the model was told, and what it said"
            => review::ask_prompt(model),
        Unfold ["enter", "o"] "unfold": "fold or unfold what is under the cursor" => review::unfold(model),
        PanLeft ["<"] "pan_left": "scroll the graph left" => review::pan(model, -8),
        PanRight [">"] "pan_right": "scroll the graph right" => review::pan(model, 8),
        Answer ["a"] "answer": "go to the thread's question" => review::answer(model),
        Fork ["f"] "fork": "fork a new thread after this step" => review::ask_fork(model, press),
        Settle ["S"] "settle": "settle an effect that may have happened" => review::offer_outcomes(model, press),
        Retry ["R"] "retry": "resolve trouble: retry or go on" => review::ask_retry(model, press),
        Stop ["X"] as "stop the thread; abandon it if in trouble",
        Reclassify ["C"],
        Why ["w"],
        Export ["W"] "export": "write the thread to a file" => review::ask_export(model),
    }

    Memory {
        EditProfile ["e"] "edit_profile": "edit the profile in $EDITOR" => memory::edit(model),
        AddLine ["o"] "add_line": "add a line" => memory::ask_line(model),
        PinLine ["P"] "pin_line": "pin or unpin a line" => memory::ask_pins(model),
        RevertProfile ["R"] "revert_profile": "back to an earlier version"
            => memory::ask_past(model, HistoryPurpose::Revert),
        History ["d"] "history": "versions and what each changed" => memory::ask_past(model, HistoryPurpose::Read),
        OpenThread ["t"] as "show the thread behind this version",
    }

    Activity {
        Prune ["P"] "prune": "prune old threads" => activity::offer_prune(model),
    }

    Confirm {
        Yes ["y"] "yes": "yes",
        No ["n", "esc", "q", "ctrl-c"] "no": "no",
        Down ["j", "down"],
        Up ["k", "up"],
        Drop ["space"] "drop": "leave this one out",
    }

    Quit {
        Wait ["w"] "wait": "wait for it, then quit",
        TakeBack ["t"] "take_back": "take it back, then quit",
        GoNow ["g"] "go_now": "quit now; it resumes when sayso next runs",
        Cancel ["n", "esc", "q", "ctrl-c"] as "stay",
    }

    Form {
        NextField ["tab"] "next_field": "next field",
        PreviousField ["shift-tab"] "previous_field": "previous field",
        Submit ["ctrl-s"] "submit": "review or send",
        Outside ["ctrl-g"] "outside": "in $EDITOR",
        Remember ["ctrl-t"] "remember": "learn from this: on or off",
        Complete ["ctrl-n"] "complete": "complete a path",
        PageDown ["pagedown"] as "scroll the card a page down",
        PageUp ["pageup"] as "scroll the card a page up",
        CardDown ["ctrl-down", "alt-down"] as "scroll the card a line down",
        CardUp ["ctrl-up", "alt-up"] as "scroll the card a line up",
        LeaveForm ["esc", "ctrl-c"] "leave_form": "leave; your text is kept",
    }

    Menu {
        Down ["j", "down"],
        Up ["k", "up"],
        Top ["gg", "home"],
        Bottom ["G", "end"],
        PageDown ["ctrl-d", "space", "pagedown"],
        PageUp ["ctrl-u", "b", "pageup"],
        Choose ["enter", "l"] "choose": "choose",
        Copy ["y"] as "copy a link's target",
        Terminal ["gw"] as "go to the session's terminal",
        Cancel ["esc", "q", "ctrl-c"] "cancel": "close",
    }

    Prompt {
        Choose ["enter"],
        Down ["down", "ctrl-n", "tab"],
        Up ["up", "ctrl-p", "shift-tab"],
        PageDown ["pagedown"],
        PageUp ["pageup"],
        Cancel ["esc", "ctrl-c"],
    }
}

impl Action {
    /// Runs it in the uppermost layer, or else in the tab.
    pub fn run(self, model: &mut Model, press: Press) -> Vec<Cmd> {
        if model.layer().is_some() { layers::act(model, self, press) } else { self.run_in_tab(model, press) }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }

    /// Whether it decides something by itself, so that only its own key may trigger it.
    pub fn decides(self) -> bool {
        matches!(
            self,
            Action::Accept
                | Action::Ignore
                | Action::IgnoreQuietly
                | Action::SaveDraft
                | Action::AcceptGrant
                | Action::Stop
                | Action::Fork
                | Action::Settle
                | Action::Retry
                | Action::Yes
                | Action::Submit
                | Action::Wait
                | Action::TakeBack
                | Action::GoNow
        )
    }
}
