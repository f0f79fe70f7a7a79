//! x
/// d
#[derive(Debug)]
pub struct Description;
/// d
#[derive(Debug)]
pub enum Segment { /// s
 A }
