//! The tools of a server, each under its policy.

use crate::gate::{Gate, Guard};
use crate::reply::Reply;
use std::collections::HashMap;

/// The guards of a server's tools, by name. `R` is the result type of its SDK, or [`Reply`].
///
/// The modules for SDKs say how it is made of their tools, and how a call goes through it.
#[derive(Debug)]
pub struct Tools<R = Reply> {
    gate: Gate<R>,
    guards: HashMap<String, Guard<R>>,
}

impl<R> Tools<R> {
    /// No tools yet, under the policy of `gate`.
    #[must_use]
    pub fn empty(gate: &Gate<R>) -> Self {
        Self { gate: gate.clone(), guards: HashMap::new() }
    }

    /// The policy of the server.
    #[must_use]
    pub const fn gate(&self) -> &Gate<R> {
        &self.gate
    }

    /// Adds the guard of a tool, or replaces the one of that name.
    pub fn insert_guard(&mut self, guard: Guard<R>) {
        self.guards.insert(guard.contract().tool().to_owned(), guard);
    }

    /// Removes a tool.
    pub fn remove(&mut self, name: &str) {
        self.guards.remove(name);
    }

    /// The guard of a tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Guard<R>> {
        self.guards.get(name)
    }
}

impl<R> Clone for Tools<R> {
    fn clone(&self) -> Self {
        Self { gate: self.gate.clone(), guards: self.guards.clone() }
    }
}
