//! Timing: candidates take turns, round by round, in thread CPU time.
//!
//! A machine shared with others changes speed for seconds at a time. Candidates that run within the same few milliseconds see the same
//! speed, so a ratio is taken within each round, and the median over the rounds is what counts. Absolute times are for orientation.

use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds.
    pub rounds: usize,
    /// Nanoseconds for each candidate in a round.
    pub slice: u64,
    /// A candidate whose single pass takes longer than this (in nanoseconds) runs in the first three rounds only.
    pub slow: u64,
}

impl Effort {
    /// Figures to quote.
    pub const FULL: Self = Self { rounds: 21, slice: 2_000_000, slow: 40_000_000 };
    /// To see whether something moved.
    pub const QUICK: Self = Self { rounds: 7, slice: 500_000, slow: 10_000_000 };
}

/// Something to time. A call is one pass over all instances and returns how many were accepted.
pub struct Candidate<'a> {
    /// What it is called in the output.
    pub name: &'static str,
    /// One pass.
    pub pass: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Candidate<'a> {
    /// A candidate.
    pub fn new(name: &'static str, pass: impl FnMut() -> usize + 'a) -> Self {
        Self { name, pass: Box::new(pass) }
    }
}

/// The times of a group of candidates that took turns.
#[derive(Debug)]
pub struct Times {
    /// For each candidate its name and nanoseconds a pass, a figure for each round it ran in.
    rows: Vec<(&'static str, Vec<f64>)>,
}

/// Median and quartiles.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The first quartile.
    pub low: f64,
    /// The third quartile.
    pub high: f64,
}

impl Times {
    /// Lets the candidates take turns.
    pub fn of(candidates: &mut [Candidate<'_>], effort: Effort) -> Self {
        let mut rows = Vec::new();
        let mut plan = Vec::new();
        for candidate in candidates.iter_mut() {
            let once = time(candidate, 1).max(1.0);
            let passes = (effort.slice as f64 / once).ceil().max(1.0);
            // The first pass is cold: a second look when it seemed slow.
            let once = if passes < 64.0 { time(candidate, 1).max(1.0) } else { time(candidate, 16) };
            plan.push(((effort.slice as f64 / once).ceil().max(1.0) as u32, once > effort.slow as f64));
            rows.push((candidate.name, Vec::new()));
        }
        for round in 0..effort.rounds {
            for ((candidate, row), &(passes, slow)) in candidates.iter_mut().zip(&mut rows).zip(&plan) {
                if !slow || round < 3 {
                    row.1.push(time(candidate, passes));
                }
            }
        }
        Self { rows }
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().map(|row| row.0)
    }

    /// Nanoseconds a pass.
    pub fn nanoseconds(&self, name: &str) -> Option<Spread> {
        spread(self.row(name)?.to_vec())
    }

    /// Time of `name` over time of `base`, round by round.
    pub fn ratio(&self, name: &str, base: &str) -> Option<Spread> {
        let (top, bottom) = (self.row(name)?, self.row(base)?);
        spread(top.iter().zip(bottom).map(|(top, bottom)| top / bottom).collect())
    }

    fn row(&self, name: &str) -> Option<&[f64]> {
        self.rows.iter().find(|row| row.0 == name).map(|row| row.1.as_slice())
    }
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

fn spread(mut values: Vec<f64>) -> Option<Spread> {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| values.get((values.len().saturating_sub(1) * part + 2) / 4).copied();
    Some(Spread { median: at(2)?, low: at(1)?, high: at(3)? })
}

/// Nanoseconds a pass.
fn time(candidate: &mut Candidate<'_>, passes: u32) -> f64 {
    let start = now();
    for _ in 0..passes {
        black_box((candidate.pass)());
    }
    (now() - start) as f64 / f64::from(passes)
}

/// CPU time of this thread in nanoseconds.
fn now() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
