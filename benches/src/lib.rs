//! What the benches share: the data sets, and parsed values as instances.

pub mod sets;
pub mod tree;
