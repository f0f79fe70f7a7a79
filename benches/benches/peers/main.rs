//! microschema against its peers: one process, one run, everybody in turns.
//!
//! `cargo bench -p microschema-benches --bench peers -- [--json] [--set NAME]... [--quick] [--svg FILE]`
//!
//! `NAME` is a set, or the beginning of several (`mcp-`), or `growth`. Without `--set`, everything is measured.

mod chart;
mod contest;
mod growth;
mod heap;
mod measure;
mod report;
mod schemas;
mod typed;

use measure::Effort;
use microschema_benches::sets::{self, Set};
use report::Report;
use std::error::Error;
use std::path::PathBuf;

/// What `--set` calls the part that is no set.
const GROWTH: &str = "growth";

#[derive(Debug, Default)]
struct Arguments {
    json: bool,
    quick: bool,
    sets: Vec<String>,
    svg: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let mut report = Report { outcomes: Vec::new(), refused: Vec::new(), growth: Vec::new() };
    for set in chosen(&arguments.sets)? {
        eprintln!("{}", set.name);
        match contest::run(&set, effort) {
            Ok(outcome) => report.outcomes.push(outcome),
            Err(why) => report.refused.push((set.name, why)),
        }
    }
    if arguments.sets.is_empty() || arguments.sets.iter().any(|name| name == GROWTH) {
        eprintln!("{GROWTH}");
        report.growth = growth::run(effort);
    }
    if let Some(file) = &arguments.svg {
        std::fs::write(file, chart::svg(&report))?;
    }
    if arguments.json {
        println!("{}", report.json());
    } else {
        report.print();
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Set>, Box<dyn Error>> {
    let mut all = sets::mcp()?;
    match sets::public()? {
        Some(public) => all.extend(public),
        None => eprintln!("MICROSCHEMA_DATA has no folder `bench`: only the six MCP tools"),
    }
    if !names.is_empty() {
        all.retain(|set| names.iter().any(|name| set.name.starts_with(name.as_str())));
        if all.is_empty() && !names.iter().any(|name| name == GROWTH) {
            return Err(format!("no set begins with {}", names.join(" or ")).into());
        }
    }
    Ok(all)
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments::default();
    let mut all = std::env::args().skip(1);
    while let Some(argument) = all.next() {
        let mut value = || all.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--json" => arguments.json = true,
            "--quick" => arguments.quick = true,
            "--set" => arguments.sets.push(value()?),
            "--svg" => arguments.svg = Some(value()?.into()),
            // Cargo's own.
            "--bench" => {}
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    Ok(arguments)
}
