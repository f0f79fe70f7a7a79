//! The table of tools that calls are checked against.

use crate::{Document, Gate, Guard, Reply};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// The tools of a server, under its policy. A clone is the same table: tools may come and go while the server runs.
///
/// `R` is what hooks make: [`Reply`], or with the feature `rmcp` its `CallToolResult`, so that one gate does for both.
///
/// ```
/// use microschema_mcp::http::{Gate, Tools};
/// use rmcp::handler::server::router::tool::ToolRouter;
///
/// fn table<S: Send + Sync + 'static>(gate: &Gate, router: &ToolRouter<S>) -> Tools {
///     let tools = Tools::new(gate);
///     for tool in router.list_all() {
///         tools.insert(&tool.name, &*tool.input_schema);
///     }
///     tools
/// }
/// ```
pub struct Tools<R = Reply> {
    gate: Gate<R>,
    guards: Arc<RwLock<HashMap<String, Guard<R>>>>,
}

impl<R> Tools<R> {
    /// A table without tools.
    #[must_use]
    pub fn new(gate: &Gate<R>) -> Self {
        Self { gate: gate.clone(), guards: Arc::default() }
    }

    /// Compiles the schema of a tool, and adds it or replaces the one of that name.
    ///
    /// A schema that cannot be honoured is one of the [problems](crate::Contract::problems) of its [`get`](Self::get); the policy tells
    /// what becomes of its calls.
    pub fn insert<'s>(&self, name: &str, input_schema: impl Into<Document<'s>>) {
        let guard = self.gate.guard(name, input_schema, Document::Absent);
        self.guards.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), guard);
    }

    /// Removes a tool.
    pub fn remove(&self, name: &str) {
        self.guards.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// The guard of a tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Guard<R>> {
        self.guards.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl<R> Clone for Tools<R> {
    fn clone(&self) -> Self {
        Self { gate: self.gate.clone(), guards: self.guards.clone() }
    }
}

impl<R> fmt::Debug for Tools<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guards = self.guards.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_set().entries(guards.keys()).finish()
    }
}
