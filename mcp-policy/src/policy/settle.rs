//! One call, from decided to answered: the question, and what its answer does.

use mcp_provider::{Arguments, JsonObject, ToolCall, contain, shield};

use crate::policy::settings::{Settings, Step};
use crate::question::{Answer, Asker, Question};
use crate::question_lock::AskedAbout;
use crate::refusal;
use crate::rule::{Decision, Rule};
use crate::ruleset::RuleSet;
use crate::suggest::{suggest, suggest_unchecked};

/// How often one call is asked about: as the model made it, and as an answer has changed it.
const MAX_QUESTIONS: usize = 2;

/// How a call that runs goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Run {
    /// As the model made it.
    AsMade,
    /// With other arguments, of which the model has to be told.
    Edited,
}

impl Settings {
    /// Decides about a call, and asks if need be; an error is what the model reads.
    pub(super) async fn settle(&self, call: &mut ToolCall, rules: &RuleSet) -> Result<Run, String> {
        match self.consider(call, rules) {
            Step::Run => return Ok(Run::AsMade),
            Step::Refuse(why) => return Err(why),
            Step::Ask(_) => {}
        }
        if self.lock.is_asking_here() || AskedAbout::is_on(&call.extensions, &self.lock) {
            return Err(refusal::reentrant(&call.name));
        }
        let Some(asker) = &self.asker else { return Err(refusal::malformed()) };
        let turn = self.lock.acquire().await;
        let mut original: Option<ToolCall> = None;
        let mut asked = 0;
        let (answer, remembered) = loop {
            // While this call waited, an answer to another may have settled it; and one that was
            // edited is another call.
            let question = match self.consider(call, rules) {
                Step::Run if original.is_some() => return Ok(Run::Edited),
                Step::Run => return Ok(Run::AsMade),
                Step::Refuse(why) => return Err(told(original.as_ref(), call, why)),
                Step::Ask(_) if asked == MAX_QUESTIONS => {
                    return Err(refusal::edited_too_often(&call.name));
                }
                Step::Ask(question) => Question { original: original.clone(), ..*question },
            };
            asked += 1;
            match self.put(&**asker, question).await {
                Err(error) => return Err(refusal::no_answer(&call.name, &error)),
                Ok(Answer::Edit { arguments }) => {
                    original.get_or_insert_with(|| call.clone());
                    call.arguments = replaced(&call.arguments, arguments);
                }
                Ok(answer) => {
                    let remembered = self.remember(call, rules, &answer);
                    break (answer, remembered);
                }
            }
        };
        drop(turn);
        if !remembered.is_empty() {
            let grants = self.grants();
            // The grant is made: a listener that fails is no reason to refuse the call.
            let _ = shield(|| asker.granted(&grants));
        }
        let why = match answer {
            Answer::AllowOnce | Answer::AlwaysAllow { .. } if original.is_some() => {
                return Ok(Run::Edited);
            }
            Answer::AllowOnce | Answer::AlwaysAllow { .. } => return Ok(Run::AsMade),
            Answer::DenyOnce | Answer::Edit { .. } => refusal::by_user(&call.name),
            Answer::Refuse { message } => refusal::with_reason(&call.name, &message),
            Answer::AlwaysDeny { .. } => refusal::by_user_always(&call.name, &remembered),
        };
        Err(told(original.as_ref(), call, why))
    }

    /// Puts a question; an error is why there is no answer.
    async fn put(&self, asker: &dyn Asker, mut question: Question) -> Result<Answer, String> {
        // The mark is on the question's call alone, and never on the one that goes on.
        AskedAbout::mark(&mut question.call.extensions, &self.lock);
        let asked = self.lock.asking(async { asker.ask(question).await });
        match contain(asked).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(error.to_string()),
            Err(panicked) => Err(panicked.to_string()),
        }
    }

    /// Writes down what an answer says about later calls, and returns it.
    fn remember(&self, call: &ToolCall, rules: &RuleSet, answer: &Answer) -> Vec<Rule> {
        let facts = self.facts(call);
        let (given, decision) = match answer {
            Answer::AlwaysAllow { rules } => (rules, Decision::Allow),
            Answer::AlwaysDeny { rules } => (rules, Decision::Deny),
            Answer::AllowOnce | Answer::DenyOnce | Answer::Edit { .. } | Answer::Refuse { .. } => {
                return Vec::new();
            }
        };
        let new: Vec<Rule> = match (given, decision) {
            (Some(rules), _) => rules.clone(),
            // A deny holds also where a rule asks; an allow would change nothing there.
            (None, Decision::Deny) => suggest_unchecked(&facts),
            (None, _) => suggest(&facts, rules, &self.checks),
        };
        let new: Vec<Rule> = new.into_iter().map(|it| it.with_decision(decision)).collect();
        if !new.is_empty() {
            self.book.as_ref().unwrap_or(&self.own_grants).add(&new);
        }
        new
    }
}

/// The refusal of a call, after what was changed in it, if anything was.
fn told(original: Option<&ToolCall>, call: &ToolCall, why: String) -> String {
    match original {
        Some(_) => refusal::after_edit(&call.arguments, &why),
        None => why,
    }
}

/// The new arguments, written as the old ones were: as text, or as an object.
fn replaced(old: &Arguments, new: JsonObject) -> Arguments {
    match old.as_text().map(|_| serde_json::to_string(&new)) {
        Some(Ok(text)) => text.into(),
        _ => new.into(),
    }
}
