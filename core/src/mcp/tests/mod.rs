//! Tests of the module as a whole: messages against another reader, and tools over the wire.

mod hostile;
mod message;
mod tools;
