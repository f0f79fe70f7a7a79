//! Round trips of valid calls: straight to the server, through two `cat`s, and through the guard, in turns.

use super::link::{Link, call};
use super::servers::{self, NUMBERS, PLAIN};
use microschema_benches::sets;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Calls before it counts.
const WARM_UP: usize = 200;

/// Nanoseconds, from least to greatest.
struct Times(Vec<i64>);

impl Times {
    fn sorted(mut times: Vec<i64>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn percentile(&self, percent: usize) -> String {
        format!("{:.1}", self.0.get(self.0.len() * percent / 100).copied().unwrap_or(0) as f64 / 1000.0)
    }
}

pub fn run(guard: &Path, calls: usize) -> Result<(), Box<dyn Error>> {
    let mut links =
        [Link::start(servers::command(PLAIN)?)?, Link::start(through_cat()?)?, Link::start(through(guard)?)?];
    println!(
        "Round trips of a valid call, in microseconds: median and 99th percentile of {calls} (fewer where it is large)\n"
    );
    println!("| call | bytes | direct | | through two `cat` | | guard | | guard, more than direct | |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut cases = Vec::new();
    for set in sets::mcp()? {
        let longest = set.valid.iter().max_by_key(|instance| instance.len()).ok_or("an empty set")?;
        cases.push((set.name.clone(), str::from_utf8(longest)?.to_owned(), calls));
    }
    for (kilobytes, calls) in [(10, calls), (100, calls / 10), (1000, calls / 40)] {
        let items = vec!["12345678"; kilobytes * 1000 / 9].join(",");
        cases.push((NUMBERS.to_owned(), format!("{{\"items\":[{items}]}}"), calls));
    }
    for (tool, arguments, calls) in cases {
        let line = call(&tool, &arguments);
        let times = measure(&mut links, &line, calls)?;
        let row: Vec<String> =
            times.iter().flat_map(|times| [50, 99].map(|percent| times.percentile(percent))).collect();
        println!("| {tool} | {} | {} |", line.len(), row.join(" | "));
    }
    println!();
    links.into_iter().try_for_each(Link::end)
}

/// Direct, through `cat`, guarded; and how much longer each guarded call took than the direct one just before it.
fn measure(links: &mut [Link; 3], line: &[u8], calls: usize) -> Result<[Times; 4], Box<dyn Error>> {
    let mut times = [const { Vec::new() }; 3];
    for round in 0..WARM_UP + calls {
        for (link, times) in links.iter_mut().zip(&mut times) {
            let start = Instant::now();
            link.ask(line)?;
            let time = start.elapsed();
            if round >= WARM_UP {
                times.push(i64::try_from(time.as_nanos())?);
            }
        }
        if round == 0 && links.iter().any(|link| link.answer != links[0].answer) {
            return Err(format!("not the same answer: {}", String::from_utf8_lossy(&links[2].answer)).into());
        }
    }
    let more = times[2].iter().zip(&times[0]).map(|(guarded, direct)| guarded - direct).collect();
    let [direct, cat, guarded] = times;
    Ok([direct, cat, guarded, more].map(Times::sorted))
}

fn through(guard: &Path) -> Result<Command, Box<dyn Error>> {
    let server = servers::command(PLAIN)?;
    let mut command = Command::new(guard);
    command.args(["guard", "--"]).arg(server.get_program()).args(server.get_args());
    Ok(command)
}

fn through_cat() -> Result<Command, Box<dyn Error>> {
    let server = servers::command(PLAIN)?;
    let mut command = Command::new("sh");
    command.args(["-c", "cat | \"$@\" | cat", "sh"]).arg(server.get_program()).args(server.get_args());
    Ok(command)
}
