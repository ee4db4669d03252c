//! Everything a key can mean. Names are what the config, the palette and `docs/keys.md` call them.

macro_rules! actions {
    ($($variant:ident $name:literal $help:literal,)*) => {
        /// Something a person can ask of the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $help] $variant,)*
        }

        impl Action {
            /// All of them.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)*];

            /// What the config and the palette call it.
            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)* }
            }

            /// What it does, in a few words.
            pub fn help(self) -> &'static str {
                match self { $(Action::$variant => $help,)* }
            }
        }
    };
}

actions! {
    TabInbox "inbox" "the inbox",
    TabThreads "threads" "all threads",
    TabMemory "memory" "what was learned",
    TabActivity "activity" "what is going on",
    NextTab "next_tab" "next tab",
    PreviousTab "previous_tab" "previous tab",
    ShowAll "show_all" "show everything that waits",
    ShowApprovals "show_approvals" "show approvals",
    ShowTriage "show_triage" "show triage",
    ShowQuestions "show_questions" "show questions",
    ShowTrouble "show_trouble" "show trouble",
    ShowResults "show_results" "show results",
    ShowSnoozed "show_snoozed" "show what is snoozed",
    ShowHeld "show_held" "show what is held",
    ShowRunning "show_running" "show what is running",
    ShowSkipped "show_skipped" "show mail that was not shown",
    Search "search" "search the list",
    SearchNext "search_next" "next match",
    SearchPrevious "search_previous" "previous match",
    Narrow "narrow" "narrow the list",
    Palette "palette" "every action by name",
    Help "help" "all keys",
    NewThread "new_thread" "new thread",
    Undo "undo" "take the last decision back",
    Pause "pause" "pause or resume all",
    FetchMail "fetch_mail" "look for new mail now",
    Clear "clear" "clear or close",
    Back "back" "back, at the top quit",
    Quit "quit" "quit",
    CloseLayer "close_layer" "close what is open",
    Redraw "redraw" "draw the screen anew",
    Suspend "suspend" "to the shell; `fg` comes back",
    Down "down" "down",
    Up "up" "up",
    Top "top" "to the top",
    Bottom "bottom" "to the end",
    PageDown "page_down" "half a page down",
    PageUp "page_up" "half a page up",
    CardDown "card_down" "scroll the card down",
    CardUp "card_up" "scroll the card up",
    Open "open" "into the card",
    Mark "mark" "mark",
    MarkRange "mark_range" "mark from the last mark to here",
    MarkAll "mark_all" "mark all shown",
    MarkSame "mark_same" "mark all of the same sender",
    Sort "sort" "sort and group",
    NextItem "next_item" "next item",
    PreviousItem "previous_item" "previous item",
    NextPart "next_part" "next part of the card",
    PreviousPart "previous_part" "previous part of the card",
    Quotes "quotes" "fold or unfold quotes and older parts",
    Headers "headers" "show or hide a mail's headers",
    Attachments "attachments" "list what is attached",
    Links "links" "list links and where they lead",
    Pipe "pipe" "pipe the mail through a command",
    Leave "leave" "back to the list",
    Accept "accept" "accept",
    AcceptGrant "accept_and_grant" "accept, and allow more of the same",
    SaveDraft "save_draft" "save as a draft",
    Reclassify "reclassify" "take the mail for something else",
    Why "why" "why it is here, and what it cost",
    Edit "edit" "edit",
    EditOutside "edit_outside" "edit in $EDITOR",
    Respond "respond" "respond",
    Ignore "ignore" "ignore",
    IgnoreQuietly "ignore_quietly" "ignore, learn nothing",
    Snooze "snooze" "snooze",
    Stop "stop" "stop the thread",
    OpenThread "open_thread" "show the thread",
    Copy "copy" "copy",
    EditProfile "edit_profile" "edit the profile in $EDITOR",
    AddLine "add_line" "add a line",
    PinLine "pin_line" "pin a line, or let it go",
    RevertProfile "revert_profile" "back to an earlier version",
    History "history" "versions and what each changed",
    NextView "next_view" "look at the thread from the next side",
    PreviousView "previous_view" "from the side before",
    StateDiff "state_diff" "what a step changed, or the whole state",
    ShowPrompt "show_prompt" "what the model was told, and what it said",
    Unfold "unfold" "fold or unfold what is under the cursor",
    PanLeft "pan_left" "move the graph to the right",
    PanRight "pan_right" "move the graph to the left",
    Fork "fork" "begin another thread after the shown step",
    Settle "settle" "settle an effect in doubt",
    Retry "retry" "end the trouble: retry or go on",
    Export "export" "write the thread to a file",
    Answer "answer" "go to what the thread asks",
    Prune "prune" "let go of old threads",
    Yes "yes" "yes",
    No "no" "no",
    Drop "drop" "leave this one out",
    Wait "wait" "wait for it, then quit",
    TakeBack "take_back" "take it back, then quit",
    GoNow "go_now" "quit now; it goes on with the next sayso",
    NextField "next_field" "next field",
    PreviousField "previous_field" "previous field",
    Submit "submit" "review or send",
    Outside "outside" "in $EDITOR",
    Remember "remember" "learn from this: on or off",
    Complete "complete" "complete a path",
    LeaveForm "leave_form" "leave, the text is kept",
    Choose "choose" "choose",
    Cancel "cancel" "close",
}

impl Action {
    /// The action of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.name() == name)
    }

    /// Whether it decides something by itself, so that only its own key may do it.
    pub fn decides(self) -> bool {
        matches!(
            self,
            Action::Accept
                | Action::Ignore
                | Action::IgnoreQuietly
                | Action::SaveDraft
                | Action::AcceptGrant
                | Action::Stop
                | Action::Yes
                | Action::Submit
                | Action::Wait
                | Action::TakeBack
                | Action::GoNow
        )
    }
}
