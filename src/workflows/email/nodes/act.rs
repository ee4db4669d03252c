//! Carries out the decisions: every accepted and edited call, in the order of the message, and the calls that need no
//! approval.

use super::NodeResult;
use crate::graph::{Answer, Authorization, Command, Ctx, Decision, NodeError};
use crate::llm::ToolCall;
use crate::mail::Sent;
use crate::mail::compose::Draft;
use crate::text::truncate;
use crate::workflows::Services;
use crate::workflows::email::facts::CallResult;
use crate::workflows::email::mails::Conversation;
use crate::workflows::email::send::{self, AddEvent, SaveDraft, SendMail};
use crate::workflows::email::state::{Acted, Email, EmailUpdate, NextTurn, PendingLesson, SentNote, Turn};
use crate::workflows::email::tools::{
    self, CheckCalendarArgs, ScheduleMeetingArgs, UnsubscribeArgs, WriteEmailArgs,
};
use crate::workflows::email::unsubscribe::{self, LeaveList};
use crate::workflows::email::{attach, defaults, meeting, own_mail, remind, risks};
use crate::workflows::lesson::CauseKind;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

pub(in crate::workflows::email) async fn act(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    let conversation = Conversation::read(ctx.services(), &state)?;
    let mut run = ActRun {
        ctx: &ctx,
        state: &state,
        conversation: &conversation,
        acted: Acted::default(),
        person_spoke: false,
        is_finished: false,
    };
    if !state.is_settled() {
        for call in &state.pending {
            run.process(call).await?;
            if !run.has_result(call) {
                run.ask_again(call, "it could not be done as it was.");
            }
        }
    }
    if run.acted.own.is_some() {
        run.drop_others();
    }
    let (person_spoke, is_finished) = (run.person_spoke, run.is_finished);
    let mut acted = run.acted;
    let has_open_calls = state.pending.len() > acted.became.len();
    if !has_open_calls {
        acted.decided = conversation.decided(&state);
    }
    acted.then = match (has_open_calls, person_spoke, is_finished) {
        _ if state.is_settled() => NextTurn::Leave,
        _ if acted.own.is_some() => NextTurn::Ask,
        (true, _, _) => NextTurn::Ask,
        (false, true, _) => NextTurn::Model,
        // The end applies to the mail it was about, unless the person also dismissed the new one.
        (false, false, true) if conversation.has_news() && (state.unseen || !acted.refused) => {
            NextTurn::Model
        }
        (false, false, true) => NextTurn::Leave,
        (false, false, false) => NextTurn::Model,
    };
    Ok(Command::goto("update_memory").update(EmailUpdate::Acted(Box::new(acted))))
}

pub(super) struct ActRun<'a> {
    pub ctx: &'a Ctx<Services>,
    state: &'a Email,
    pub conversation: &'a Conversation,
    pub acted: Acted,
    /// The person said something to the model.
    person_spoke: bool,
    /// Something was refused, kept as a draft, or the model is done.
    pub is_finished: bool,
}

impl ActRun<'_> {
    async fn process(&mut self, call: &ToolCall) -> Result<(), NodeError> {
        if !tools::needs_approval(&call.name) {
            return self.run(call).await;
        }
        let Some(answer) = self.state.answers.iter().find(|answer| answer.key == call.id) else {
            return Ok(());
        };
        match &answer.decision {
            Decision::Accept => {
                let lesson = self.state.unproven.get(&call.id).cloned();
                self.carry_out(call, answer, answer.proposed.clone()).await?;
                self.keep_lesson(call, lesson);
                Ok(())
            }
            Decision::Edit { args } if tools::has_no_edit(&call.name) => {
                self.acted.own = Some(own_mail::read(self.ctx, self.state, &answer.key, args).await?);
                let text = "I write this mail myself.".to_owned();
                self.record_result(call, CallResult::Answered, text, Value::Null);
                Ok(())
            }
            Decision::Edit { args } => self.apply_edit(call, answer, args.clone()).await,
            Decision::Draft => self.draft(call, answer).await,
            Decision::Respond { text } => {
                self.person_spoke = true;
                if call.name != tools::QUESTION {
                    self.learn(namespace(&call.name), CauseKind::ProposalAnswered, call, answer);
                }
                self.record_result(call, CallResult::Answered, text.clone(), Value::Null);
                Ok(())
            }
            Decision::Ignore => {
                self.is_finished = true;
                self.acted.refused = true;
                self.acted.expired |= answer.expired;
                // Taking one of two proposals, or having answered before, does not mean that the mail needed no answer.
                let mut answers = self.state.answers.iter();
                let all_refused = answers.all(|one| matches!(one.decision, Decision::Ignore));
                let is_about_mail = !matches!(call.name.as_str(), tools::UNSUBSCRIBE | tools::REMOVE_EVENT);
                if is_about_mail && all_refused && self.state.sent_outcome().is_none() {
                    self.learn(defaults::TRIAGE, CauseKind::ProposalIgnored, call, answer);
                }
                let text = if answer.expired { "Nobody answered in time." } else { "" };
                self.record_result(call, CallResult::Refused, text.to_owned(), Value::Null);
                Ok(())
            }
        }
    }

    /// If the person writes the mail themselves, the other calls of the message are dropped.
    fn drop_others(&mut self) {
        for call in &self.state.pending {
            if !self.has_result(call) {
                let text = "The person writes this mail themselves.".to_owned();
                self.record_result(call, CallResult::Refused, text, Value::Null);
            }
        }
    }

    /// Runs a call that needs no approval.
    async fn run(&mut self, call: &ToolCall) -> Result<(), NodeError> {
        match call.name.as_str() {
            tools::DONE => {
                self.is_finished = true;
                self.record_result(call, CallResult::Done, String::new(), Value::Null);
            }
            tools::CHECK_CALENDAR => {
                let CheckCalendarArgs { days } = read(&call.args)?;
                let lookup = async { meeting::availability(self.ctx.services(), &days).await };
                match self.ctx.call(&format!("calendar:{}", call.id), lookup).await? {
                    Ok((text, data)) => self.record_result(call, CallResult::Done, text, data),
                    Err(text) => self.record_result(call, CallResult::Failed, text, Value::Null),
                }
            }
            other => {
                self.record_result(
                    call,
                    CallResult::Failed,
                    format!("There is no tool `{other}`."),
                    Value::Null,
                );
            }
        }
        Ok(())
    }

    async fn apply_edit(&mut self, call: &ToolCall, answer: &Answer, args: Value) -> Result<(), NodeError> {
        let mut lesson = self.state.unproven.get(&call.id).cloned();
        if args != call.args {
            self.acted.edited.push((call.id.clone(), args.clone()));
        }
        if tools::without_person_only_args(&args) != tools::without_person_only_args(&call.args) {
            lesson = lesson_of(namespace(&call.name), CauseKind::ProposalEdited, call, answer);
        }
        if call.name == tools::WRITE_EMAIL {
            let written: WriteEmailArgs = read(&args)?;
            let fresh = attach::read(self.ctx, self.state, &call.id, &written.attachments).await?;
            if !fresh.is_empty() {
                // The person has not been shown yet what these files hold, so we ask again.
                let was_shown =
                    |path: &String| self.state.attached.get(path).is_some_and(|file| file.error.is_none());
                let why = if fresh.values().any(|file| file.error.is_some()) {
                    "a file can't be attached."
                } else if fresh.keys().any(was_shown) {
                    "a file changed since you saw it. This is what would be sent."
                } else {
                    "you attached a file. This is what would be sent."
                };
                self.ask_again(call, why);
                self.acted.attached.extend(fresh);
                self.keep_lesson(call, lesson);
                return Ok(());
            }
        }
        if risks::edit_needs_a_look(self.ctx.services(), self.conversation, &call.name, &call.args, &args)? {
            self.ask_again(call, "your change brought a new warning.");
            self.keep_lesson(call, lesson);
            return Ok(());
        }
        if risks::edit_changes_time(&call.name, &answer.proposed, &args) {
            let (services, conversation) = (self.ctx.services(), self.conversation);
            let (tool, before) = (&call.name, &answer.proposed);
            let look = async { Ok(risks::time_problem(services, conversation, tool, before, &args).await) };
            let why = self.ctx.call(&format!("time:{}", call.id), look).await?;
            if let Some(why) = why {
                self.ask_again(call, why);
                self.keep_lesson(call, lesson);
                return Ok(());
            }
        }
        self.carry_out(call, answer, args).await?;
        self.keep_lesson(call, lesson);
        Ok(())
    }

    /// An edit teaches once its call is over. If we ask about it again, it may still be taken back.
    fn keep_lesson(&mut self, call: &ToolCall, lesson: Option<PendingLesson>) {
        if self.has_result(call) {
            self.acted.lessons.extend(lesson);
        } else {
            self.acted.unproven.extend(lesson.map(|lesson| (call.id.clone(), lesson)));
        }
    }

    /// Does exactly what was approved. If a call cannot be done as it is, we ask about it again.
    async fn carry_out(&mut self, call: &ToolCall, answer: &Answer, args: Value) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let basis = Authorization::Decision { key: answer.key.clone(), args: args.clone() };
        match call.name.as_str() {
            tools::WRITE_EMAIL => {
                let args: WriteEmailArgs = read(&args)?;
                let files = send::files(services, self.state, &args.attachments)?;
                let Some(files) = files else { return Ok(()) };
                let Ok(draft) = send::draft(services, self.conversation, &args, files) else { return Ok(()) };
                let note = note("mail", call, &draft, &args.content);
                self.send(call, basis, &draft, note).await?;
                let sent = self.acted.sent.iter().find(|note| note.call == call.id);
                if let Some(note) = sent
                    && let Some(reminder) = remind::reminder(services, &args, &note.to)
                {
                    self.acted.remind = Some(reminder);
                }
                if sent.is_some() && send::is_answer(self.conversation, &args) {
                    self.acted
                        .answered
                        .extend(self.conversation.about().map(|(mail_ref, _)| mail_ref.raw.clone()));
                }
                Ok(())
            }
            tools::UNSUBSCRIBE => match read(&args)? {
                UnsubscribeArgs::OneClick { url } => self.leave_list(call, basis, &url).await,
                UnsubscribeArgs::Mail { to, subject, content } => {
                    let draft = send::leaving_draft(services, self.conversation, to, subject, content);
                    let Ok(draft) = draft else { return Ok(()) };
                    let note = note("unsubscribe", call, &draft, "");
                    self.is_finished = true;
                    self.send(call, basis, &draft, note).await
                }
            },
            tools::SCHEDULE_MEETING => self.schedule(call, basis, &read(&args)?).await,
            tools::ANSWER_INVITATION => self.answer_invitation(call, basis, &read(&args)?).await,
            tools::REMOVE_EVENT => self.remove_event(call, basis, &read(&args)?).await,
            // A question cannot be accepted. If somebody did, we tell the model.
            _ => {
                self.record_result(call, CallResult::Answered, "(no answer)".to_owned(), Value::Null);
                Ok(())
            }
        }
    }

    async fn send(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        draft: &Draft,
        note: SentNote,
    ) -> Result<(), NodeError> {
        if self.hold_back_if_observing(call) {
            return Ok(());
        }
        self.send_once(call, basis, draft, note, "It").await?;
        Ok(())
    }

    /// Leaves a list with one request.
    async fn leave_list(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        url: &str,
    ) -> Result<(), NodeError> {
        self.is_finished = true;
        if self.hold_back_if_observing(call) {
            return Ok(());
        }
        let effect = Arc::new(LeaveList(self.ctx.services().http.clone()));
        let name = format!("unsubscribe:{}", call.id);
        self.ctx.once(&name, basis, url.as_bytes().to_vec(), effect).await?;
        let host = unsubscribe::host(url).to_owned();
        let text = format!("{host} was told to take the person off the list.");
        let (kind, call_id) = ("unsubscribe".to_owned(), call.id.clone());
        self.acted.sent.push(SentNote { kind, call: call_id, to: vec![host], ..SentNote::default() });
        self.record_result(call, CallResult::Done, text, Value::Null);
        Ok(())
    }

    async fn schedule(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        args: &ScheduleMeetingArgs,
    ) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let step = self.ctx.step_context();
        let Ok(event) = meeting::event(services, self.conversation, step, &call.id, args) else {
            return Ok(());
        };
        let Ok(draft) = meeting::invitation(services, self.conversation, &event, args) else { return Ok(()) };
        if self.hold_back_if_observing(call) {
            return Ok(());
        }
        let mut lead = "The invitation";
        if let Some(calendar) = self.conversation.calendar(services) {
            let effect = AddEvent { calendar, uid: event.uid.clone() };
            let frozen = crate::calendar::event_text(&event);
            let name = format!("event:{}", call.id);
            self.ctx.once(&name, basis.clone(), frozen, Arc::new(effect)).await?;
            lead = "It stands in the calendar. The invitation";
        }
        let note = SentNote { start: Some(args.start.clone()), ..note("meeting", call, &draft, "") };
        self.send_once(call, basis, &draft, note, lead).await?;
        Ok(())
    }

    async fn draft(&mut self, call: &ToolCall, answer: &Answer) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let args: WriteEmailArgs = read(&answer.proposed)?;
        let files = send::files(services, self.state, &args.attachments)?;
        let Some(files) = files else { return Ok(()) };
        let Ok(draft) = send::draft(services, self.conversation, &args, files) else { return Ok(()) };
        self.is_finished = true;
        if self.hold_back_if_observing(call) {
            return Ok(());
        }
        let Some(account) = &self.conversation.account else {
            return Err(NodeError::failed("no account of the config has a mailbox to keep drafts in"));
        };
        let Ok(bytes) = send::bytes(services, self.ctx.step_context(), &call.id, &draft) else {
            return Ok(());
        };
        let basis = Authorization::Draft { key: answer.key.clone(), args: answer.proposed.clone() };
        let effect = Arc::new(SaveDraft(account.mailbox.clone()));
        self.ctx.once(&format!("draft:{}", call.id), basis, bytes, effect).await?;
        self.acted.sent.push(note("draft", call, &draft, &args.content));
        let text = "It was kept as a draft; the person sends it themselves.";
        self.record_result(call, CallResult::Done, text.to_owned(), Value::Null);
        Ok(())
    }

    /// Sends a mail, once, and records it in a sentence that begins with `lead`. False if it cannot be composed; then
    /// we ask about it again.
    pub(super) async fn send_once(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        draft: &Draft,
        note: SentNote,
        lead: &str,
    ) -> Result<bool, NodeError> {
        let services = self.ctx.services();
        let bytes = match send::bytes(services, self.ctx.step_context(), &call.id, draft) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.ask_again(call, format!("it could not be sent, because {error}."));
                return Ok(false);
            }
        };
        let outgoing = self.conversation.account.as_ref().and_then(|account| account.outgoing.clone());
        let Some(outgoing) = outgoing else {
            let text = "this account cannot send mail: give it a [mail.outgoing] in the config, start sayso again, and \
                        retry";
            return Err(NodeError::failed(text));
        };
        let outcome =
            self.ctx.once(&format!("send:{}", call.id), basis, bytes, Arc::new(SendMail(outgoing))).await?;
        let reached: Vec<String> =
            [&draft.to, &draft.cc, &draft.bcc].into_iter().flatten().map(|one| one.address.clone()).collect();
        services.records.record_recipients(&reached).await?;
        // If a person settled it by hand, there is no outcome from us.
        let sent: Sent = serde_json::from_value(outcome).unwrap_or_default();
        let text = format!("{lead} was sent to {}.{}", note.to.join(", "), refused_text(&sent));
        self.acted.sent.push(SentNote { message_id: sent.message_id, ..note });
        self.record_result(call, CallResult::Done, text, Value::Null);
        Ok(true)
    }

    /// Whether we must do nothing. If the account only observes, the call is over and says so. If it only observed when
    /// we asked, the person was told that nothing would be sent, so we ask again.
    pub(super) fn hold_back_if_observing(&mut self, call: &ToolCall) -> bool {
        if self.conversation.acts() {
            if self.state.observing {
                let why =
                    "this was proposed while the account only observed, so nothing was sent. Now it acts.";
                self.ask_again(call, why);
            }
            return self.state.observing;
        }
        self.acted.observed = true;
        let text = "Nothing was sent: this account only observes (mode = \"observe\"). Take it as done.";
        self.record_result(call, CallResult::Done, text.to_owned(), Value::Null);
        true
    }

    fn learn(&mut self, namespace: &str, kind: CauseKind, call: &ToolCall, answer: &Answer) {
        self.acted.lessons.extend(lesson_of(namespace, kind, call, answer));
    }

    /// Says why a call is asked about once more. The first reason counts.
    pub(super) fn ask_again(&mut self, call: &ToolCall, why: impl Into<String>) {
        self.acted.asked_again.entry(call.id.clone()).or_insert_with(|| why.into());
    }

    fn has_result(&self, call: &ToolCall) -> bool {
        let is_result = |turn: &Turn| matches!(turn, Turn::Became { call: id, .. } if *id == call.id);
        self.acted.became.iter().any(is_result)
    }

    pub(super) fn record_result(&mut self, call: &ToolCall, how: CallResult, text: String, data: Value) {
        let (call, tool) = (call.id.clone(), call.name.clone());
        self.acted.became.push(Turn::Became { call, tool, how, text, data });
    }
}

/// The lesson of an answer, if it may teach.
fn lesson_of(namespace: &str, kind: CauseKind, call: &ToolCall, answer: &Answer) -> Option<PendingLesson> {
    let (namespace, action) = (namespace.to_owned(), Some(call.name.clone()));
    answer.learn.then(|| PendingLesson { namespace, kind, answer: Some(answer.clone()), action })
}

/// The profile that learns from answers about a proposal.
fn namespace(tool: &str) -> &'static str {
    if tool == tools::SCHEDULE_MEETING { defaults::CALENDAR } else { defaults::RESPONSE }
}

pub(super) fn note(kind: &str, call: &ToolCall, draft: &Draft, content: &str) -> SentNote {
    let to = [&draft.to, &draft.cc, &draft.bcc].into_iter().flatten();
    SentNote {
        kind: kind.to_owned(),
        call: call.id.clone(),
        to: to.map(|one| one.address.clone()).collect(),
        subject: draft.subject.clone(),
        text: truncate(&content.replace(['\n', '\r'], " "), 300).into_owned(),
        ..SentNote::default()
    }
}

fn refused_text(sent: &Sent) -> String {
    let who: Vec<String> = sent.refused.iter().map(|(who, why)| format!("{who} ({why})")).collect();
    if who.is_empty() { String::new() } else { format!(" The server would not take {}.", who.join(", ")) }
}

fn read<T: DeserializeOwned>(args: &Value) -> Result<T, NodeError> {
    serde_json::from_value(json!(args))
        .map_err(|e| NodeError::failed(format!("the arguments of a call cannot be read: {e}")))
}
