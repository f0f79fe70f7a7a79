//! Peak memory of the process that refuses a call of 3 MB with a million wrong items.

use super::link::{Link, call};
use super::servers::{self, GATED, NUMBERS, PLAIN, THEIRS, UNCHECKED};
use std::error::Error;
use std::path::Path;
use std::process::Command;

const ITEMS: usize = 1_000_000;

pub fn run(guard: &Path) -> Result<(), Box<dyn Error>> {
    let numbers = |item: &str| call(NUMBERS, &format!("{{\"items\":[{}]}}", vec![item; ITEMS].join(",")));
    let (wrong, valid) = (numbers("\"\""), numbers("10"));
    println!(
        "A call of {} bytes with {ITEMS} wrong items, refused; and one of {} bytes that is valid.",
        wrong.len(),
        valid.len()
    );
    println!("Peak resident memory of the process that looks at it (VmHWM), in MiB.\n");
    println!("| process | at rest | refused | valid | answer to the refused call, bytes |");
    println!("|---|--:|--:|--:|--:|");
    for name in ["microschema guard", GATED, THEIRS, UNCHECKED] {
        let start = || -> Result<Link, Box<dyn Error>> {
            let mut command = servers::command(if name == "microschema guard" { PLAIN } else { name })?;
            if name == "microschema guard" {
                let mut guarded = Command::new(guard);
                guarded.args(["guard", "--"]).arg(command.get_program()).args(command.get_args());
                command = guarded;
            }
            let mut link = Link::start(command)?;
            // So that the tools are known.
            link.ask(&call(NUMBERS, "{\"items\":[1]}"))?;
            Ok(link)
        };
        let mut link = start()?;
        let at_rest = link.status("VmRSS")?;
        let answer = link.ask(&wrong)?;
        let (length, is_refused) = (answer.len(), answer.windows(14).any(|part| part == b"\"isError\":true"));
        if is_refused == (name == UNCHECKED) {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&answer[..length.min(300)])).into());
        }
        let refused = link.status("VmHWM")?;
        link.end()?;
        let mut link = start()?;
        link.ask(&valid)?;
        let valid = link.status("VmHWM")?;
        link.end()?;
        let [at_rest, refused, valid] = [at_rest, refused, valid].map(|kib| format!("{:.1}", kib as f64 / 1024.0));
        let refused = if name == UNCHECKED { format!("({refused}, not refused)") } else { refused };
        println!("| {name} | {at_rest} | {refused} | {valid} | {length} |");
    }
    Ok(())
}
