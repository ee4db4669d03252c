//! Carries out what was decided on a call.

use crate::agent::Services;
use crate::agent::agent_loop::{Accepted, CallResult, Outcome};
use crate::agent::lesson::CauseKind;
use crate::agent::llm::ToolCall;
use crate::engine::graph::{Answer, Authorization, Ctx, Decision, NodeError};
use crate::mail::compose::Draft;
use crate::mail::{Mail, Sent};
use crate::text::{Visible, truncate};
use crate::workflows::email::mails::Conversation;
use crate::workflows::email::parts::without_person_only_args;
use crate::workflows::email::send::{self, AddEvent, SaveDraft, SendMail};
use crate::workflows::email::state::{Acted, Email, EmailUpdate, PendingLesson, SentNote};
use crate::workflows::email::tools::{
    self, CheckCalendarArgs, ScheduleMeetingArgs, UnsubscribeArgs, WriteEmailArgs,
};
use crate::workflows::email::unsubscribe::{self, LeaveList};
use crate::workflows::email::{attach, defaults, meeting, own_mail, remind, risks};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// Carries out an accepted or edited call, or keeps it as a draft.
pub(super) async fn act(
    ctx: Ctx<Services>,
    state: Arc<Email>,
    accepted: Accepted,
) -> Result<Outcome<Email>, NodeError> {
    let conversation = Conversation::read(ctx.services(), &state)?;
    let Accepted { call, args, answer } = accepted.clone();
    let Some(answer) = answer else { return Ok(Outcome::again()) };
    let mut run = ActRun {
        ctx: &ctx,
        state: &state,
        conversation: &conversation,
        acted: Acted { call: call.id.clone(), ..Acted::default() },
        result: None,
        is_finished: false,
        refused: Vec::new(),
    };
    match &answer.decision {
        Decision::Edit { args } if tools::has_no_edit(&call.name) => {
            run.acted.own = Some(own_mail::read(&ctx, &state, &answer.key, args).await?);
            run.result = Some((CallResult::Answered, "I write this mail myself.".to_owned()));
        }
        Decision::Edit { .. } => run.apply_edit(&call, &answer, args).await?,
        Decision::Draft => run.draft(&call, accepted.basis(), &args).await?,
        Decision::Accept | Decision::Respond { .. } | Decision::Ignore => {
            run.carry_out(&call, accepted.basis(), args).await?;
            run.keep_lesson(state.unproven.get(&call.id).cloned());
        }
    }
    if run.result.is_none() {
        run.ask_again("it could not be done as it was.");
    }
    let ActRun { acted, result, is_finished, .. } = run;
    let outcome = match result {
        Some((how, text)) => Outcome::with(how, text, Value::Null),
        None => Outcome::again(),
    };
    let outcome = if is_finished { outcome.ending() } else { outcome };
    Ok(outcome.update(EmailUpdate::CarriedOut(Box::new(acted))))
}

/// Tells when the person is busy.
pub(super) async fn check_calendar(
    ctx: Ctx<Services>,
    _: Arc<Email>,
    accepted: Accepted,
) -> Result<Outcome<Email>, NodeError> {
    let CheckCalendarArgs { days } = read(&accepted.args)?;
    let lookup = async { meeting::availability(ctx.services(), &days).await };
    Ok(match ctx.call(&format!("calendar:{}", accepted.call.id), lookup).await? {
        Ok((text, data)) => Outcome::with(CallResult::Done, text, data),
        Err(text) => Outcome::failed(text),
    })
}

pub(super) struct ActRun<'a> {
    pub ctx: &'a Ctx<Services>,
    state: &'a Email,
    pub conversation: &'a Conversation,
    pub acted: Acted,
    /// How the call went; it is asked about again without one.
    pub result: Option<(CallResult, String)>,
    /// Answering ends with this call.
    pub is_finished: bool,
    /// The recipients that the server did not take a mail for, each with its reason.
    refused: Vec<(String, String)>,
}

impl ActRun<'_> {
    async fn apply_edit(&mut self, call: &ToolCall, answer: &Answer, args: Value) -> Result<(), NodeError> {
        let mut lesson = self.state.unproven.get(&call.id).cloned();
        if without_person_only_args(&args) != without_person_only_args(&call.args) {
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
                self.ask_again(why);
                self.acted.attached.extend(fresh);
                self.keep_lesson(lesson);
                return Ok(());
            }
        }
        if risks::edit_needs_a_look(self.ctx.services(), self.conversation, &call.name, &call.args, &args)? {
            self.ask_again("your change brought a new warning.");
            self.keep_lesson(lesson);
            return Ok(());
        }
        if risks::edit_changes_time(&call.name, &answer.proposed, &args) {
            let (services, conversation) = (self.ctx.services(), self.conversation);
            let (tool, before) = (&call.name, &answer.proposed);
            let look = async { Ok(risks::time_problem(services, conversation, tool, before, &args).await) };
            let why = self.ctx.call(&format!("time:{}", call.id), look).await?;
            if let Some(why) = why {
                self.ask_again(why);
                self.keep_lesson(lesson);
                return Ok(());
            }
        }
        let basis = Authorization::Decision { key: answer.key.clone(), args: args.clone() };
        self.carry_out(call, basis, args).await?;
        self.keep_lesson(lesson);
        Ok(())
    }

    /// An edit teaches once its call is over. If we ask about it again, it may still be taken back.
    fn keep_lesson(&mut self, lesson: Option<PendingLesson>) {
        match self.result {
            Some(_) => self.acted.lesson = lesson,
            None => self.acted.unproven = lesson,
        }
    }

    /// Does exactly what was approved. If a call cannot be done as it is, we ask about it again.
    async fn carry_out(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        args: Value,
    ) -> Result<(), NodeError> {
        let services = self.ctx.services();
        match call.name.as_str() {
            tools::WRITE_EMAIL => {
                let args: WriteEmailArgs = read(&args)?;
                let files = send::files(services, self.state, &args.attachments)?;
                let Some(files) = files else { return Ok(()) };
                let Ok(draft) = send::draft(services, self.conversation, &args, files) else { return Ok(()) };
                let mut note = note("mail", call, &draft, &args.content);
                note.answers = self.mail_answered().filter(|_| send::is_answer(self.conversation, &args));
                self.send(call, basis, &draft, note).await?;
                // The person has said what they want.
                self.is_finished = self.result.is_some() && self.state.dialog.own;
                if let Some(note) = self.acted.sent.first() {
                    // One mail, sent to the rest of its recipients.
                    let same = self.state.remind.iter().filter(|remind| remind.subject == args.subject);
                    let others = same.flat_map(|remind| &remind.to).filter(|to| !note.to.contains(to));
                    let to: Vec<String> = others.chain(&note.to).cloned().collect();
                    self.acted.remind = remind::reminder(services, &args, &to);
                }
                if !self.refused.is_empty() {
                    self.acted.own = Some(own_mail::to_refused(args, &self.refused));
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
                self.result = Some((CallResult::Answered, "(no answer)".to_owned()));
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
        if self.hold_back_if_observing() {
            return Ok(());
        }
        self.send_once(call, basis, draft, note, "It").await
    }

    /// Leaves a list with one request.
    async fn leave_list(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        url: &str,
    ) -> Result<(), NodeError> {
        self.is_finished = true;
        if self.hold_back_if_observing() {
            return Ok(());
        }
        let effect = Arc::new(LeaveList(self.ctx.services().http.clone()));
        let name = format!("unsubscribe:{}", call.id);
        self.ctx.once(&name, basis, url.as_bytes().to_vec(), effect).await?;
        let host = unsubscribe::host(url);
        let text = format!("{host} was told to take the person off the list.");
        let (kind, call_id) = ("unsubscribe".to_owned(), call.id.clone());
        self.acted.sent.push(SentNote { kind, call: call_id, to: vec![host], ..SentNote::default() });
        self.done(text);
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
        if self.hold_back_if_observing() {
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
        if !self.refused.is_empty() {
            // The meeting stands; its words go again, not another event.
            let (to, subject) = (args.attendees.clone(), args.subject.clone());
            let content = meeting::invitation_text(services, &event, args);
            let words = WriteEmailArgs { to, subject, content, ..WriteEmailArgs::default() };
            self.acted.own = Some(own_mail::to_refused(words, &self.refused));
        }
        Ok(())
    }

    async fn draft(&mut self, call: &ToolCall, basis: Authorization, args: &Value) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let args: WriteEmailArgs = read(args)?;
        let files = send::files(services, self.state, &args.attachments)?;
        let Some(files) = files else { return Ok(()) };
        let Ok(draft) = send::draft(services, self.conversation, &args, files) else { return Ok(()) };
        self.is_finished = true;
        if self.hold_back_if_observing() {
            return Ok(());
        }
        let Some(account) = &self.conversation.account else {
            return Err(NodeError::failed("no account of the config has a mailbox to keep drafts in"));
        };
        let Ok(bytes) = send::bytes(services, self.ctx.step_context(), &call.id, &draft) else {
            return Ok(());
        };
        let effect = Arc::new(SaveDraft(account.mailbox.clone()));
        self.ctx.once(&format!("draft:{}", call.id), basis, bytes, effect).await?;
        self.acted.sent.push(note("draft", call, &draft, &args.content));
        let text = "It was kept as a draft; the person sends it themselves.";
        self.done(text);
        Ok(())
    }

    /// Sends a mail, once, and records it in a sentence that begins with `lead`. If it cannot be composed, we ask about it
    /// again.
    pub(super) async fn send_once(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        draft: &Draft,
        note: SentNote,
        lead: &str,
    ) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let bytes = match send::bytes(services, self.ctx.step_context(), &call.id, draft) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.ask_again(format!("it could not be sent, because {error}."));
                return Ok(());
            }
        };
        let outgoing = self.conversation.account.as_ref().and_then(|account| account.outgoing.clone());
        let Some(outgoing) = outgoing else {
            let text = "this account cannot send mail: give it a [mail.outgoing] in the config, start sayso again, and \
                        retry";
            return Err(NodeError::failed(text));
        };
        let effect = Arc::new(SendMail(outgoing));
        let outcome = self.ctx.once(&format!("send:{}", call.id), basis, bytes, effect).await?;
        // If a person settled it by hand, there is no outcome from us.
        let raw = outcome.get(send::RAW).and_then(Value::as_str).map(str::to_owned);
        let sent: Sent = serde_json::from_value(outcome).unwrap_or_default();
        let mut note = note;
        note.to.retain(|to| !send::is_refused(to, &sent.refused));
        services.records.record_recipients(&note.to).await?;
        if let Some(raw) = raw
            && let Err(error) = self.note_sent(&raw, &sent).await
        {
            // It has left; only its conversation will lack it.
            tracing::warn!(%error, "a sent mail is not in its conversation");
        }
        let text = format!("{lead} was sent to {}.{}", note.to.join(", "), refused_text(&sent));
        self.acted.sent.push(SentNote { message_id: sent.message_id, ..note });
        self.refused = sent.refused;
        self.done(text);
        Ok(())
    }

    /// Adds a mail that has left to its conversation.
    async fn note_sent(&self, raw: &str, sent: &Sent) -> Result<(), NodeError> {
        let services = self.ctx.services();
        // Some servers give it another id.
        let mail = Mail { message_id: Some(sent.message_id.clone()), ..Mail::clone(&*services.mail(raw)?) };
        let account = self.conversation.account.as_ref().map_or("", |account| &account.name);
        services.records.record_sent(self.ctx.step_context(), account, &mail).await
    }

    /// Whether we must do nothing. If the account only observes, the call is over and says so. If it only observed when
    /// we asked, the person was told that nothing would be sent, so we ask again.
    pub(super) fn hold_back_if_observing(&mut self) -> bool {
        if self.conversation.acts() {
            if self.state.observing {
                let why =
                    "this was proposed while the account only observed, so nothing was sent. Now it acts.";
                self.ask_again(why);
            }
            return self.state.observing;
        }
        self.acted.observed = true;
        let text = "Nothing was sent: this account only observes (mode = \"observe\"). Take it as done.";
        self.done(text);
        true
    }

    /// Says why the call is asked about once more. The first reason counts.
    pub(super) fn ask_again(&mut self, why: impl Into<String>) {
        self.acted.asked_again.get_or_insert_with(|| why.into());
    }

    pub(super) fn done(&mut self, text: impl Into<String>) {
        self.result = Some((CallResult::Done, text.into()));
    }

    /// The digest of the mail that an answer answers.
    pub(super) fn mail_answered(&self) -> Option<String> {
        self.conversation.about().map(|(mail_ref, _)| mail_ref.raw.clone())
    }
}

/// The lesson of an answer, if it may teach.
pub(super) fn lesson_of(
    namespace: &str,
    kind: CauseKind,
    call: &ToolCall,
    answer: &Answer,
) -> Option<PendingLesson> {
    let (namespace, action) = (namespace.to_owned(), Some(call.name.clone()));
    answer.learn.then(|| PendingLesson { namespace, kind, answer: Some(answer.clone()), action })
}

/// The profile that learns from answers about a proposal.
pub(super) fn namespace(tool: &str) -> &'static str {
    if tool == tools::SCHEDULE_MEETING { defaults::CALENDAR } else { defaults::RESPONSE }
}

pub(super) fn note(kind: &str, call: &ToolCall, draft: &Draft, content: &str) -> SentNote {
    let to = [&draft.to, &draft.cc, &draft.bcc].into_iter().flatten();
    SentNote {
        kind: kind.to_owned(),
        call: call.id.clone(),
        to: to.map(|one| one.address.clone()).collect(),
        subject: Visible::line(&draft.subject).into_string(),
        text: truncate(&content.replace(['\n', '\r'], " "), 300).into_owned(),
        ..SentNote::default()
    }
}

fn refused_text(sent: &Sent) -> String {
    if sent.refused.is_empty() {
        return String::new();
    }
    format!(" The server would not take {}.", own_mail::with_reasons(&sent.refused))
}

fn read<T: DeserializeOwned>(args: &Value) -> Result<T, NodeError> {
    serde_json::from_value(json!(args))
        .map_err(|e| NodeError::failed(format!("the arguments of a call cannot be read: {e}")))
}
