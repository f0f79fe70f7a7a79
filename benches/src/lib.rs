//! What the benches share: the data sets.

pub mod sets;
