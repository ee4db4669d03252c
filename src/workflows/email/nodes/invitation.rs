//! Carries out decisions on invitations and cancellations: the calendar first, then the answer.

use super::act::{ActRun, note};
use crate::agent::llm::ToolCall;
use crate::calendar::{Attendance, Revision, cancelled};
use crate::engine::graph::{Authorization, NodeError};
use crate::workflows::email::event_news::{self, CalendarImpact, EventNews};
use crate::workflows::email::meeting::{self, InvitationAnswer};
use crate::workflows::email::send::{AddEvent, ReviseEvent};
use crate::workflows::email::state::SentNote;
use crate::workflows::email::tools::{AnswerInvitationArgs, RemoveEventArgs};
use std::sync::Arc;

const CALENDAR_CHANGED: &str = "your calendar has changed since you were asked.";

impl ActRun<'_> {
    /// Answers an invitation. First adds the event to the calendar, changes it, or removes it if a change is declined;
    /// then answers the organizer. If the calendar is no longer what the card said, we ask again.
    pub(super) async fn answer_invitation(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        args: &AnswerInvitationArgs,
    ) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let Ok(reply) = meeting::invitation_answer(services, self.conversation, args) else { return Ok(()) };
        if self.hold_back_if_observing() {
            return Ok(());
        }
        let impact = self.calendar_impact(call).await?;
        if impact.change() != args.change || matches!(impact, CalendarImpact::Refused { .. }) {
            self.ask_again(CALENDAR_CHANGED);
            return Ok(());
        }
        let calendar_change = self.update_calendar(call, basis.clone(), args.answer, &impact, &reply).await?;
        let draft = reply.draft;
        let mut note = note("invitation", call, &draft, args.comment.as_deref().unwrap_or_default());
        note.answers = self.mail_answered();
        let lead = format!("{calendar_change}The answer");
        self.send_once(call, basis, &draft, note, &lead).await
    }

    /// What the mail would do to the calendar now. Recorded once, so a repeated step continues with the same result.
    async fn calendar_impact(&self, call: &ToolCall) -> Result<CalendarImpact, NodeError> {
        let Some((_, mail)) = self.conversation.about() else { return Ok(CalendarImpact::New) };
        let lookup = event_news::calendar_impact_or_retry(self.ctx.services(), mail);
        self.ctx.call(&format!("event_news:{}", call.id), lookup).await
    }

    /// Makes the calendar match an answer, and says what was done.
    async fn update_calendar(
        &self,
        call: &ToolCall,
        basis: Authorization,
        answer: Attendance,
        impact: &CalendarImpact,
        reply: &InvitationAnswer,
    ) -> Result<&'static str, NodeError> {
        let Some(calendar) = self.conversation.calendar(self.ctx.services()) else { return Ok("") };
        let uid = reply.uid.clone();
        let name = format!("event:{}", call.id);
        match (answer, impact) {
            (Attendance::Decline, CalendarImpact::New | CalendarImpact::Refused { .. }) => Ok(""),
            (Attendance::Decline, CalendarImpact::Known | CalendarImpact::Changes { .. }) => {
                self.revise(&name, basis, Revision::Remove, &uid, &reply.sender, &reply.cancellation).await?;
                Ok("It was taken out of the calendar. ")
            }
            (_, CalendarImpact::Changes { .. }) => {
                self.revise(&name, basis, Revision::Change, &uid, &reply.sender, &reply.event).await?;
                Ok("It was changed in the calendar. ")
            }
            (_, CalendarImpact::Known) => Ok("It is in the calendar already. "),
            (_, CalendarImpact::New | CalendarImpact::Refused { .. }) => {
                let effect = AddEvent { calendar, uid };
                self.ctx.once(&name, basis, reply.event.clone(), Arc::new(effect)).await?;
                Ok("It stands in the calendar. ")
            }
        }
    }

    async fn revise(
        &self,
        name: &str,
        basis: Authorization,
        revision: Revision,
        uid: &str,
        sender: &str,
        event: &[u8],
    ) -> Result<(), NodeError> {
        let services = self.ctx.services();
        let Some(calendar) = self.conversation.calendar(services) else { return Ok(()) };
        let effect = ReviseEvent {
            calendar,
            uid: uid.to_owned(),
            sender: sender.to_owned(),
            revision,
            zone: services.user.time_zone.clone(),
        };
        self.ctx.once(name, basis, event.to_vec(), Arc::new(effect)).await.map(drop)
    }

    /// Takes a cancelled event out of the calendar.
    pub(super) async fn remove_event(
        &mut self,
        call: &ToolCall,
        basis: Authorization,
        args: &RemoveEventArgs,
    ) -> Result<(), NodeError> {
        let Some((_, mail)) = self.conversation.about() else { return Ok(()) };
        let Some(part) = &mail.invitation else { return Ok(()) };
        let news = EventNews::of(mail, &self.ctx.services().user.time_zone);
        let Some(uid) = news.as_ref().and_then(|news| Some(news.event()?.uid.clone())) else { return Ok(()) };
        let Ok(frozen) = cancelled(&part.text) else { return Ok(()) };
        if self.hold_back_if_observing() {
            self.is_finished = true;
            return Ok(());
        }
        let text = match self.calendar_impact(call).await? {
            CalendarImpact::Changes { words } if words == args.change => {
                let name = format!("event:{}", call.id);
                self.revise(&name, basis, Revision::Remove, &uid, &mail.from.address, &frozen).await?;
                let (kind, call_id, subject) = ("removed".to_owned(), call.id.clone(), args.event.clone());
                self.acted.sent.push(SentNote { kind, call: call_id, subject, ..SentNote::default() });
                "It was taken out of the calendar."
            }
            // It was never there, or somebody else removed it.
            CalendarImpact::New | CalendarImpact::Known => "It is not in the calendar.",
            // The calendar is no longer what the card said.
            CalendarImpact::Changes { .. } | CalendarImpact::Refused { .. } => {
                self.ask_again(CALENDAR_CHANGED);
                return Ok(());
            }
        };
        self.is_finished = true;
        self.done(text);
        Ok(())
    }
}
