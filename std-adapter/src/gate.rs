//! A server's policy: the terms for all of its tools, exceptions for some, and what clients get to see of a failure.

use crate::contract::Contract;
use crate::document::Document;
use crate::failure::{Failure, Side};
use crate::reply::{Reply, Structured};
use crate::terms::{Terms, Uncompilable};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A server's policy. `R` is the result type of its SDK, or [`Reply`].
///
/// ```
/// use microschema_mcp::{Gate, Policy, Reply, Terms};
///
/// let policy = Policy::<Reply>::new().terms(Terms::new().issues(10));
/// let gate = Gate::new(policy).tool("export", |policy| policy.terms(Terms::new().check_output(false)));
/// # let _ = gate;
/// ```
#[derive(Debug)]
pub struct Gate<R = Reply>(Arc<Inner<R>>);

#[derive(Debug)]
struct Inner<R> {
    policy: Arc<Policy<R>>,
    exceptions: HashMap<String, Arc<Policy<R>>>,
}

/// The terms for a tool, and what becomes of its failures.
pub struct Policy<R = Reply> {
    terms: Terms,
    structured: Structured,
    on_input_error: Option<Hook<R>>,
    on_output_error: Option<Hook<R>>,
}

type Hook<R> = Arc<dyn Fn(&Failure, Document<'_>) -> Option<R> + Send + Sync>;

/// A tool under its server's policy: checks calls, and answers those that fail. A clone shares all of it.
#[derive(Debug)]
pub struct Guard<R = Reply> {
    contract: Contract,
    policy: Arc<Policy<R>>,
}

impl<R> Gate<R> {
    /// A gate with this policy for all tools.
    #[must_use]
    pub fn new(policy: Policy<R>) -> Self {
        Self(Arc::new(Inner { policy: Arc::new(policy), exceptions: HashMap::new() }))
    }

    /// A policy for one tool, made from the server's.
    #[must_use]
    pub fn tool(self, name: impl Into<String>, change: impl FnOnce(Policy<R>) -> Policy<R>) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        let policy = change(Policy::clone(&inner.policy));
        inner.exceptions.insert(name.into(), Arc::new(policy));
        Self(Arc::new(inner))
    }

    /// Compiles the schemas of a tool, under the policy for it.
    #[must_use]
    pub fn guard<'s>(
        &self,
        tool: &str,
        input_schema: impl Into<Document<'s>>,
        output_schema: impl Into<Document<'s>>,
    ) -> Guard<R> {
        let policy = self.policy(tool).clone();
        Guard { contract: Contract::new(tool, input_schema, output_schema, policy.terms.clone()), policy }
    }
}

impl<R> Gate<R> {
    fn policy(&self, tool: &str) -> &Arc<Policy<R>> {
        self.0.exceptions.get(tool).unwrap_or(&self.0.policy)
    }

    /// What becomes of calls of a tool whose schemas cannot be honoured, or are not known.
    pub(crate) fn uncompilable(&self, tool: &str) -> Uncompilable {
        self.policy(tool).terms.uncompilable
    }
}

impl<R> Policy<R> {
    /// The default terms; failures become text with the issues in `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self { terms: Terms::new(), structured: Structured::Nothing, on_input_error: None, on_output_error: None }
    }

    /// Sets the terms.
    #[must_use]
    pub fn terms(mut self, terms: Terms) -> Self {
        self.terms = terms;
        self
    }

    /// What failures put into `structuredContent`. See [`Structured`] for why that is nothing by default.
    #[must_use]
    pub fn structured(mut self, structured: Structured) -> Self {
        self.structured = structured;
        self
    }

    /// Makes the result of a call whose arguments were refused, from the failure and the arguments. With `None`, the default stays.
    #[must_use]
    pub fn on_input_error<F, O>(mut self, hook: F) -> Self
    where
        F: Fn(&Failure, Document<'_>) -> O + Send + Sync + 'static,
        O: Into<Option<R>>,
    {
        self.on_input_error = Some(Arc::new(move |failure, arguments| hook(failure, arguments).into()));
        self
    }

    /// Makes the result of a call whose structured content was refused, from the failure and that content. With `None`, the default
    /// stays.
    #[must_use]
    pub fn on_output_error<F, O>(mut self, hook: F) -> Self
    where
        F: Fn(&Failure, Document<'_>) -> O + Send + Sync + 'static,
        O: Into<Option<R>>,
    {
        self.on_output_error = Some(Arc::new(move |failure, content| hook(failure, content).into()));
        self
    }
}

impl<R: From<Reply>> Guard<R> {
    /// [`Contract::check_input`], with the result to answer with.
    ///
    /// # Errors
    /// The result, when the tool is not to run.
    pub fn check_input<'a>(&self, arguments: impl Into<Document<'a>>) -> Result<(), R> {
        let arguments = arguments.into();
        self.contract.check_input(arguments).map_err(|failure| self.answer(&failure, arguments))
    }

    /// [`Contract::check_output`], with the result to answer with.
    ///
    /// # Errors
    /// The result, when that of the tool is not to leave the server.
    pub fn check_output<'a>(&self, structured_content: impl Into<Document<'a>>) -> Result<(), R> {
        let content = structured_content.into();
        self.contract.check_output(content).map_err(|failure| self.answer(&failure, content))
    }

    /// The result that tells of a failure in `document`.
    pub(crate) fn answer(&self, failure: &Failure, document: Document<'_>) -> R {
        let hook = match failure.side {
            Side::Input => self.policy.on_input_error.as_ref(),
            Side::Output => self.policy.on_output_error.as_ref(),
        };
        hook.and_then(|hook| hook(failure, document)).unwrap_or_else(|| failure.reply(self.policy.structured).into())
    }
}

impl<R> Guard<R> {
    /// What is checked.
    #[must_use]
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }
}

impl<R> Default for Gate<R> {
    fn default() -> Self {
        Self::new(Policy::new())
    }
}

impl<R> Clone for Gate<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R> Clone for Guard<R> {
    fn clone(&self) -> Self {
        Self { contract: self.contract.clone(), policy: self.policy.clone() }
    }
}

impl<R> Clone for Inner<R> {
    fn clone(&self) -> Self {
        Self { policy: self.policy.clone(), exceptions: self.exceptions.clone() }
    }
}

impl<R> Default for Policy<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Clone for Policy<R> {
    fn clone(&self) -> Self {
        Self {
            terms: self.terms.clone(),
            structured: self.structured,
            on_input_error: self.on_input_error.clone(),
            on_output_error: self.on_output_error.clone(),
        }
    }
}

impl<R> fmt::Debug for Policy<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("terms", &self.terms)
            .field("structured", &self.structured)
            .field("on_input_error", &self.on_input_error.is_some())
            .field("on_output_error", &self.on_output_error.is_some())
            .finish()
    }
}
