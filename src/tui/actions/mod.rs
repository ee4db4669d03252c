//! The one table of actions: their keys in every scope, their names and their help texts. Dispatch, footer, help,
//! palette, the config's keys and `docs/keys.md` all read it. What an action does stands in the pane or the pop-up that
//! does it.

mod keymap;

pub use keymap::{Keymap, Lookup};

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
    pub const ALL: [Scope; 11] = [
        Scope::Global,
        Scope::List,
        Scope::Card,
        Scope::Decide,
        Scope::Thread,
        Scope::Memory,
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
            Scope::Memory => "On a row or a profile, in Memory",
            Scope::Confirm => "When asked yes or no",
            Scope::Quit => "When quitting while something is held",
            Scope::Form => "In a form or a box",
            Scope::Menu => "In a menu or a review",
            Scope::Prompt => "In search, help and palette",
        }
    }

    /// Whether its keys act on the selection.
    pub fn is_about_selection(self) -> bool {
        matches!(self, Scope::Decide | Scope::Thread | Scope::Memory)
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
        $($scope:ident {
            $($variant:ident [$($key:literal),*] $(as $label:literal)?
                $($name:literal: $help:literal)?,)*
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

// An action is declared in the first scope that has it, with its config name and its help. Other scopes only give it
// keys, and their own label (`as`) if it does something else there.
actions! {
    Global {
        TabInbox ["1"] "inbox": "the inbox",
        TabThreads ["2"] "threads": "all threads",
        TabMemory ["3"] "memory": "what was learned",
        TabActivity ["4"] "activity": "what is going on",
        NextTab ["gt"] "next_tab": "next tab",
        PreviousTab ["gT"] "previous_tab": "previous tab",
        ShowAll ["gi"] "show_all": "show everything",
        ShowApprovals ["ga"] "show_approvals": "show approvals",
        ShowTriage ["gn"] "show_triage": "show triage",
        ShowQuestions ["gq"] "show_questions": "show questions",
        ShowTrouble ["gx"] "show_trouble": "show trouble",
        ShowResults ["gd"] "show_results": "show results",
        ShowSnoozed ["gs"] "show_snoozed": "show snoozed items",
        ShowHeld ["go"] "show_held": "show held decisions",
        ShowRunning ["gr"] "show_running": "show running threads, in Activity",
        ShowSkipped ["gk"] "show_skipped": "show skipped mail",
        ShowDecisions ["gh"] "show_decisions": "show past decisions",
        LastLesson ["gl"] "last_lesson": "undo or narrow the last thing learned",
        ShowSessions ["gc"] "sessions": "show the sessions of coding agents",
        Search ["/"] "search": "search the list",
        SearchNext ["n"] "search_next": "next match",
        SearchPrevious ["N"] "search_previous": "previous match",
        Narrow ["\\"] "narrow": "filter the list",
        Palette [":"] "palette": "every action by name",
        Help ["?"] "help": "all keys",
        NewThread ["c"] "new_thread": "new thread",
        Undo ["u"] "undo": "undo the last decision, snooze or move",
        ActNow ["."] "act_now": "do what is held now, without waiting",
        Pause ["!"] "pause": "pause or resume everything",
        FetchMail ["$"] "fetch_mail": "check mail now",
        Clear ["esc"] "clear": "clear or close",
        Back ["q"] "back": "go back, or quit at the top",
        Quit ["Q"] "quit": "quit",
        CloseLayer ["ctrl-c"] "close_layer": "close what is open",
        Redraw ["ctrl-l"] "redraw": "redraw the screen",
        Suspend ["ctrl-z"] "suspend": "go to the shell; `fg` returns",
    }

    List {
        Down ["j", "down"] "down": "down",
        Up ["k", "up"] "up": "up",
        Top ["gg", "home"] "top": "to the top",
        Bottom ["G", "end"] "bottom": "to the end",
        PageDown ["ctrl-d", "pagedown"] "page_down": "half a page down",
        PageUp ["ctrl-u", "pageup"] "page_up": "half a page up",
        CardDown ["J"] "card_down": "scroll the card down",
        CardUp ["K"] "card_up": "scroll the card up",
        Open ["enter", "l", "tab", "right"] "open": "open the card",
        Attachments ["v"] "attachments": "save or open attachments",
        Mark ["space"] "mark": "mark",
        MarkRange ["V"] "mark_range": "mark from the last mark to here",
        MarkAll ["*"] "mark_all": "mark all shown",
        MarkSame ["="] "mark_same": "mark all from this sender; in decisions, list them",
        Sort ["s"] "sort": "sort and group",
    }

    Card {
        CardDown ["j", "down"] as "scroll down",
        CardUp ["k", "up"] as "scroll up",
        PageDown ["space", "ctrl-d", "pagedown"] as "a page down",
        PageUp ["b", "ctrl-u", "pageup"] as "a page up",
        Top ["gg", "home"],
        Bottom ["G", "end"],
        NextItem ["J"] "next_item": "next item",
        PreviousItem ["K"] "previous_item": "previous item",
        NextPart ["]"] "next_part": "next part of the card",
        PreviousPart ["["] "previous_part": "previous part of the card",
        Quotes ["T", "enter"] "quotes": "fold or unfold quotes and older parts",
        Headers ["H"] "headers": "show or hide a mail's headers",
        Attachments ["v"],
        Links ["L"] "links": "list links and where they lead",
        Pipe ["|"] "pipe": "pipe the mail through a command",
        Leave ["h", "tab", "left"] "leave": "back to the list",
    }

    Decide {
        Accept ["a"] "accept": "accept",
        AcceptGrant ["A"] "accept_and_grant": "accept, and allow more of the same",
        Edit ["e"] "edit": "edit",
        EditOutside ["E"] "edit_outside": "edit in $EDITOR",
        Respond ["r"] "respond": "respond",
        RefuseAndStop ["R"] "refuse_and_stop": "refuse, and stop the agent's session",
        Maybe ["M"] "maybe": "answer an invitation with maybe",
        Ignore ["i"] "ignore": "ignore",
        IgnoreQuietly ["I"] "ignore_quietly": "ignore without learning",
        Snooze ["z"] "snooze": "snooze",
        SaveDraft ["D"] "save_draft": "save as a draft",
        Reclassify ["C"] "reclassify": "reclassify the mail",
        Forward ["F"] "forward": "forward the mail",
        Archive ["f"] "archive": "archive the mail",
        Delete ["d"] "delete": "move the mail to the trash",
        Spam ["S"] "spam": "move the mail to spam",
        MoveMail ["m"] "move_mail": "move the mail to a folder",
        Mute ["Z"] "mute": "mute the conversation: new mail in it is skipped",
        PutBack ["B"] "put_back": "put moved mail back, in past decisions",
        Unsubscribe ["U"] "unsubscribe": "leave the mailing list; asks first",
        Stop ["X"] as "stop the thread; revoke a grant" "stop": "stop the thread",
        TakeOver ["O"] "take_over": "take the model's place, or give it back",
        Why ["w"] "why": "why it is here, and what it cost",
        OpenThread ["t"] "open_thread": "show the thread",
        Behind ["gb"] "behind": "the grant or lesson of a past decision",
        Copy ["y"] "copy": "copy",
        Terminal ["gw"] "terminal": "go to the agent's terminal",
    }

    Thread {
        NextView ["l", "right", "}"] "next_view": "next view: steps, trace, graph, state",
        PreviousView ["h", "left", "{"] "previous_view": "previous view",
        NextPart ["]"] as "next step",
        PreviousPart ["["] as "previous step",
        StateDiff ["d"] "state_diff": "what a step changed, or the whole state",
        ShowPrompt ["p"] "show_prompt": "what the model was told, and what it said",
        Unfold ["enter", "o"] "unfold": "fold or unfold what is under the cursor",
        PanLeft ["<"] "pan_left": "scroll the graph left",
        PanRight [">"] "pan_right": "scroll the graph right",
        Answer ["a"] "answer": "go to the thread's question",
        Fork ["f"] "fork": "fork a new thread after this step",
        Settle ["S"] "settle": "settle an effect that may have happened",
        Retry ["R"] "retry": "resolve trouble: retry or go on",
        Stop ["X"] as "stop the thread; abandon it if in trouble",
        TakeOver ["O"],
        Reclassify ["C"],
        Why ["w"],
        Export ["W"] "export": "write the thread to a file",
    }

    Memory {
        EditProfile ["e"] "edit_profile": "change the row, or edit the profile in $EDITOR",
        PauseRow ["p"] "pause_row": "pause or resume the row",
        DeleteRow ["X"] "delete_row": "delete the row; asks first",
        AddLine ["o"] "add_line": "add a row, or a line to the profile",
        PinLine ["P"] "pin_line": "pin or unpin a line",
        RevertProfile ["R"] "revert_profile": "back to an earlier version",
        History ["d"] "history": "versions and what each changed",
        OpenThread ["t"] as "show the thread behind it",
    }

    Confirm {
        Yes ["y"] "yes": "yes",
        No ["n", "esc", "q", "ctrl-c"] "no": "no",
        Down ["j", "down"],
        Up ["k", "up"],
        Top ["gg", "home"],
        Bottom ["G", "end"],
        PageDown ["ctrl-d", "pagedown"],
        PageUp ["ctrl-u", "pageup"],
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
        ReplyAll ["ctrl-r"] "reply_all": "to everybody in the conversation, or to one",
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
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }

    /// Whether it decides something by itself, so that only its own key may trigger it.
    pub fn decides(self) -> bool {
        self.decides_on_card()
            || matches!(
                self,
                Action::PutBack
                    | Action::AcceptGrant
                    | Action::Stop
                    | Action::DeleteRow
                    | Action::Fork
                    | Action::Settle
                    | Action::Retry
                    | Action::TakeOver
                    | Action::Yes
                    | Action::Submit
                    | Action::Wait
                    | Action::TakeBack
                    | Action::GoNow
                    | Action::ActNow
            )
    }

    /// Whether it decides on the card shown, or on all marked rows.
    pub fn decides_on_card(self) -> bool {
        matches!(
            self,
            Action::Accept
                | Action::Ignore
                | Action::IgnoreQuietly
                | Action::Maybe
                | Action::SaveDraft
                | Action::Archive
                | Action::Delete
                | Action::Spam
                | Action::MoveMail
                | Action::Mute
        )
    }
}
