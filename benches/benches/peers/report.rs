//! The figures: summary, tables, JSON.

use crate::contest::{BASE, Outcome};
use crate::growth::Growth;
use crate::measure::{Spread, Times, geometric_mean};
use serde_json::{Map, Value, json};

/// Everything that was measured.
#[derive(Debug)]
pub struct Report {
    pub outcomes: Vec<Outcome>,
    /// Sets whose schema was refused, and why.
    pub refused: Vec<(String, String)>,
    pub growth: Vec<Growth>,
}

/// A figure of the summary, with what is to be reached.
#[derive(Debug)]
pub struct Figure {
    pub name: &'static str,
    pub value: Option<f64>,
    /// The bound that must hold and the one to aim for; the figure is to be at most that, or at least when `at_least`.
    pub bounds: Option<(f64, f64)>,
    pub at_least: bool,
}

impl Figure {
    const fn plain(name: &'static str, value: Option<f64>) -> Self {
        Self { name, value, bounds: None, at_least: false }
    }

    const fn at_most(name: &'static str, value: Option<f64>, must: f64, aim: f64) -> Self {
        Self { name, value, bounds: Some((must, aim)), at_least: false }
    }

    const fn at_least(name: &'static str, value: Option<f64>, must: f64, aim: f64) -> Self {
        Self { name, value, bounds: Some((must, aim)), at_least: true }
    }

    fn mark(&self) -> &'static str {
        let (Some(value), Some((must, aim))) = (self.value, self.bounds) else { return "" };
        let within = |bound: f64| if self.at_least { value >= bound } else { value <= bound };
        if within(aim) {
            "aim"
        } else if within(must) {
            "must"
        } else {
            "MISSED"
        }
    }
}

impl Report {
    /// Sets where all of our verdicts are right; others would flatter, or slander.
    fn sets(&self, mcp: bool) -> impl Iterator<Item = &Outcome> {
        let wrong = |outcome: &&Outcome| outcome.disagreements.iter().any(|(name, ..)| name.contains("microschema"));
        self.outcomes.iter().filter(move |outcome| outcome.is_mcp == mcp && !wrong(outcome))
    }

    /// Geometric mean over the sets that have both.
    pub fn mean(&self, mcp: bool, name: &str, base: &str) -> Option<f64> {
        geometric_mean(self.sets(mcp).filter_map(|outcome| Some(outcome.times.ratio(name, base)?.median)))
    }

    fn mean_of(&self, mcp: bool, figure: impl Fn(&Outcome) -> Option<f64>) -> Option<f64> {
        geometric_mean(self.sets(mcp).filter_map(figure))
    }

    fn growth_of(&self, name: &str) -> Option<f64> {
        self.growth.iter().find(|growth| growth.name == name)?.factor()
    }

    /// The summary.
    pub fn figures(&self) -> Vec<Figure> {
        const OURS: &str = "microschema_is_valid";
        const THEIRS: &str = "jsonschema_is_valid";
        let mcp = |name, base| self.mean(true, name, base);
        let other = |name, base| self.mean(false, name, base);
        let compile = |mcp, base| self.mean_of(mcp, |o| Some(o.compile.ratio("microschema", base)?.median));
        let held = |mcp| self.mean_of(mcp, |o| Some(o.program_bytes as f64 / o.jsonschema_heap as f64));
        let worst = max(self.sets(true).filter_map(|o| Some(o.times.ratio(OURS, BASE)?.median)));
        let worst_other = max(self.sets(false).filter_map(|o| Some(o.times.ratio(OURS, BASE)?.median)));
        let invalid_call = |o: &Outcome| {
            let calls = o.instances as f64 / o.invalid_instances as f64;
            Some(o.times.ratio("invalid_microschema_validate", OURS)?.median * calls)
        };
        let invalid_byte = |o: &Outcome| {
            let bytes = o.bytes as f64 / o.invalid_bytes as f64;
            Some(o.times.ratio("invalid_microschema_validate", OURS)?.median * bytes)
        };
        let allocations = self.outcomes.iter().flat_map(|o| &o.allocations);
        let ours = |name: &str| name.contains("microschema") && !name.contains("describe");
        let size = self.growth.iter().filter(|growth| growth.per_byte);
        // Ten thousand entries instead of one may cost thirteen comparisons more.
        let logarithmic = 1.0 + 10_000_f64.log2();
        vec![
            Figure::at_most("bytes_over_ignored_any_geomean", mcp(OURS, BASE), 1.4, 1.0),
            Figure::at_most("bytes_over_ignored_any_worst", worst, 2.0, 1.4),
            Figure::at_most("bytes_over_ignored_any_geomean_other", other(OURS, BASE), 1.8, 1.2),
            Figure::plain("bytes_over_ignored_any_worst_other", worst_other),
            Figure::at_least("speedup_over_value_jsonschema_geomean", mcp(THEIRS, OURS), 4.5, 6.0),
            Figure::at_least("speedup_over_value_jsonschema_geomean_other", other(THEIRS, OURS), 4.0, 6.0),
            Figure::plain("speedup_over_value_boon_geomean", mcp("boon", OURS)),
            Figure::plain("speedup_over_value_boon_geomean_other", other("boon", OURS)),
            Figure::plain("speedup_over_serde_typed_geomean", mcp("serde_typed", OURS)),
            Figure::at_most(
                "value_over_jsonschema_geomean",
                mcp("value_microschema_is_valid", "value_jsonschema_is_valid"),
                0.8,
                0.5,
            ),
            Figure::at_most(
                "value_over_jsonschema_geomean_other",
                other("value_microschema_is_valid", "value_jsonschema_is_valid"),
                0.7,
                0.5,
            ),
            Figure::at_most("validate_over_is_valid_valid", mcp("microschema_validate", OURS), 1.1, 1.0),
            Figure::plain("validate_over_is_valid_valid_other", other("microschema_validate", OURS)),
            // A byte of an invalid call against a byte of a valid one: the invalid calls are shorter.
            Figure::at_most("validate_invalid_over_is_valid_valid", self.mean_of(true, invalid_byte), 3.0, 2.0),
            Figure::plain("validate_invalid_over_is_valid_valid_per_call", self.mean_of(true, invalid_call)),
            Figure::at_most("compile_over_jsonschema_geomean", compile(true, "jsonschema"), 0.05, 0.02),
            Figure::plain("compile_over_jsonschema_geomean_other", compile(false, "jsonschema")),
            Figure::plain("compile_over_boon_geomean", compile(true, "boon")),
            Figure::at_most("program_bytes_over_jsonschema_heap", held(true), 0.05, 0.02),
            Figure::plain("program_bytes_over_jsonschema_heap_other", held(false)),
            Figure::at_most(
                "allocations_per_call",
                max(allocations.filter(|(name, _)| ours(name)).map(|&(_, count)| count)),
                0.0,
                0.0,
            ),
            Figure::at_most("growth_instance_1kb_to_10mb_worst", max(size.filter_map(Growth::factor)), 1.25, 1.0),
            Figure::at_most("growth_enum_1_to_10000", self.growth_of("enum"), logarithmic, 2.0),
            Figure::at_most("growth_properties_1_to_10000", self.growth_of("properties"), logarithmic, 2.0),
            Figure::at_most(
                "growth_properties_absent_1_to_10000",
                self.growth_of("properties_absent"),
                logarithmic,
                2.0,
            ),
            Figure::at_most("growth_required_1_to_10000", self.growth_of("required"), logarithmic, 2.0),
            Figure::at_most("growth_any_of_1_to_10000", self.growth_of("any_of"), logarithmic, 2.0),
            Figure::at_most("growth_any_of_const_1_to_10000", self.growth_of("any_of_const"), logarithmic, 2.0),
            Figure::plain("sets", Some(self.outcomes.len() as f64)),
            Figure::plain("sets_refused", Some(self.refused.len() as f64)),
            Figure::plain(
                "sets_with_wrong_verdicts",
                Some((self.outcomes.len() - self.sets(true).count() - self.sets(false).count()) as f64),
            ),
        ]
    }

    /// One JSON object with everything.
    pub fn json(&self) -> Value {
        let summary: Map<String, Value> =
            self.figures().into_iter().map(|figure| (figure.name.to_owned(), json!(figure.value))).collect();
        json!({
            "summary": summary,
            "base": "serde_json::from_slice::<IgnoredAny>; it checks neither UTF-8 in strings nor lone surrogates nor depth",
            "unit": "nanoseconds of thread CPU time for one pass over all instances; median, first and third quartile",
            "sets": self.outcomes.iter().map(set).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(|(set, why)| json!({"set": set, "why": why})).collect::<Vec<_>>(),
            "growth": self.growth.iter().map(growth).collect::<Vec<_>>(),
        })
    }

    /// The tables.
    pub fn print(&self) {
        println!(
            "Ratios to serde_json IgnoredAny over the same bytes, medians. It checks neither UTF-8 nor surrogates nor depth;"
        );
        println!(
            "microschema and sonic-rs do. `format` is asserted by nobody. Parsing is included except under [value].\n"
        );
        self.print_bytes();
        self.print_values();
        self.print_compile();
        self.print_growth();
        for (set, why) in &self.refused {
            println!("refused: {set}: {why}");
        }
        for outcome in &self.outcomes {
            for (name, right, all) in &outcome.disagreements {
                println!("wrong verdicts: {}: {name}: {right} of {all} as expected", outcome.name);
            }
        }
        println!("\n{:<48} {:>9} {:>7} {:>7}", "summary", "", "must", "aim");
        for figure in self.figures() {
            let value = figure.value.map_or("-".to_owned(), |value| format!("{value:.3}"));
            let (must, aim) =
                figure.bounds.map_or_else(Default::default, |(must, aim)| (format!("{must:.2}"), format!("{aim:.2}")));
            println!("{:<48} {value:>9} {must:>7} {aim:>7} {}", figure.name, figure.mark());
        }
    }

    fn print_bytes(&self) {
        const COLUMNS: [(&str, &str); 9] = [
            ("is_valid", "microschema_is_valid"),
            ("validate", "microschema_validate"),
            ("sonic skip", "sonic_rs_ignored_any"),
            ("sonic", "sonic_rs_value"),
            ("typed", "serde_typed"),
            ("Value", "serde_json_value"),
            ("+jsonsch.", "jsonschema_is_valid"),
            ("+errors", "jsonschema_iter_errors"),
            ("+boon", "boon"),
        ];
        print!("{:<28} {:>7} {:>9} {:>6} {:>15}", "bytes to verdict", "B/inst.", "ns/inst.", "MB/s", "is_valid q1-q3");
        for (head, _) in COLUMNS {
            print!(" {head:>10}");
        }
        println!();
        for outcome in &self.outcomes {
            let Some(base) = outcome.times.nanoseconds(BASE) else { continue };
            let instances = outcome.instances as f64;
            print!(
                "{:<28} {:>7.0} {:>9.0} {:>6.0}",
                outcome.name,
                outcome.bytes as f64 / instances,
                base.median / instances,
                outcome.bytes as f64 / base.median * 1e3
            );
            let spread = outcome.times.ratio("microschema_is_valid", BASE);
            print!(" {:>15}", spread.map_or("-".to_owned(), |spread| format!("{:.2}-{:.2}", spread.low, spread.high)));
            for (_, name) in COLUMNS {
                print!(" {:>10}", cell(outcome.times.ratio(name, BASE).map(|ratio| ratio.median)));
            }
            println!();
        }
        for (label, is_mcp) in [("geometric mean, mcp", true), ("geometric mean, others", false)] {
            print!("{label:<68}");
            for (_, name) in COLUMNS {
                print!(" {:>10}", cell(self.mean(is_mcp, name, BASE)));
            }
            println!();
        }
        println!();
    }

    fn print_values(&self) {
        println!(
            "{:<28} {:>12} {:>12} {:>9} | {:>10} {:>10} {:>10} {:>10} | allocations: ours, Value+jsonschema, +boon",
            "[value] over jsonschema",
            "microschema",
            "boon",
            "js ns/i.",
            "invalid:",
            "validate",
            "+describe",
            "js errors"
        );
        for outcome in &self.outcomes {
            let ratio = |name| cell(outcome.times.ratio(name, "value_jsonschema_is_valid").map(|ratio| ratio.median));
            let invalid =
                |name| cell(outcome.times.ratio(name, "invalid_serde_json_ignored_any").map(|ratio| ratio.median));
            let allocations = |name| {
                let found = outcome.allocations.iter().find(|row| row.0 == name);
                found.map_or("-".to_owned(), |row| format!("{:.1}", row.1))
            };
            println!(
                "{:<28} {:>12} {:>12} {:>9.0} | {:>10} {:>10} {:>10} {:>10} | {} {} {}",
                outcome.name,
                ratio("value_microschema_is_valid"),
                ratio("value_boon"),
                outcome
                    .times
                    .nanoseconds("value_jsonschema_is_valid")
                    .map_or(0.0, |t| t.median / outcome.instances as f64),
                invalid("invalid_microschema_is_valid"),
                invalid("invalid_microschema_validate"),
                invalid("invalid_microschema_validate_and_describe"),
                invalid("invalid_jsonschema_iter_errors"),
                allocations("microschema_is_valid"),
                allocations("jsonschema_is_valid"),
                allocations("boon"),
            );
        }
        println!();
    }

    fn print_compile(&self) {
        println!(
            "{:<28} {:>9} {:>12} {:>9} | {:>10} {:>12} {:>12}",
            "compile", "us", "/jsonschema", "/boon", "program B", "jsonschema B", "boon B"
        );
        for outcome in &self.outcomes {
            let ratio = |base| {
                outcome.compile.ratio("microschema", base).map_or("-".to_owned(), |r| format!("{:.4}", r.median))
            };
            println!(
                "{:<28} {:>9.2} {:>12} {:>9} | {:>10} {:>12} {:>12}",
                outcome.name,
                outcome.compile.nanoseconds("microschema").map_or(0.0, |time| time.median / 1e3),
                ratio("jsonschema"),
                ratio("boon"),
                outcome.program_bytes,
                outcome.jsonschema_heap,
                outcome.boon_heap.map_or("-".to_owned(), |bytes| bytes.to_string()),
            );
        }
        println!();
    }

    fn print_growth(&self) {
        for growth in &self.growth {
            let unit = if growth.per_byte { "ns/byte" } else { "ns/value" };
            print!("growth, {:<18} {unit:>8}:", growth.name);
            for (size, time, over) in &growth.steps {
                print!("  {size}: {:.3}", time.median);
                if let Some(over) = over {
                    print!(" ({:.2}x)", over.median);
                }
            }
            for (size, why) in &growth.refused {
                print!("  {size}: {why}");
            }
            println!();
        }
        println!();
    }
}

fn cell(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
}

fn max(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp)
}

fn set(outcome: &Outcome) -> Value {
    json!({
        "set": outcome.name,
        "instances": outcome.instances,
        "bytes": outcome.bytes,
        "invalid_instances": outcome.invalid_instances,
        "invalid_bytes": outcome.invalid_bytes,
        "times": times(&outcome.times, Some(BASE)),
        "compile": times(&outcome.compile, None),
        "program_bytes": outcome.program_bytes,
        "jsonschema_heap_bytes": outcome.jsonschema_heap,
        "boon_heap_bytes": outcome.boon_heap,
        "allocations_per_call": outcome.allocations.iter().map(|&(name, count)| (name.to_owned(), json!(count)))
            .collect::<Map<_, _>>(),
        "disagreements": outcome.disagreements.iter()
            .map(|(name, right, all)| json!({"candidate": name, "right": right, "of": all})).collect::<Vec<_>>(),
    })
}

fn times(times: &Times, base: Option<&str>) -> Value {
    let row = |name: &'static str| {
        let mut row = spread(times.nanoseconds(name)?);
        if let (Some(row), Some(ratio)) = (row.as_object_mut(), base.and_then(|base| times.ratio(name, base))) {
            row.insert("ratio".to_owned(), spread(ratio));
        }
        Some((name.to_owned(), row))
    };
    times.names().filter_map(row).collect::<Map<_, _>>().into()
}

fn spread(spread: Spread) -> Value {
    json!({"median": spread.median, "low": spread.low, "high": spread.high})
}

fn growth(growth: &Growth) -> Value {
    json!({
        "what": growth.name,
        "unit": if growth.per_byte { "nanoseconds a byte" } else { "nanoseconds a value" },
        "steps": growth.steps.iter().map(|(size, time, over)| {
            json!({"size": size, "time": spread(*time), "over_ignored_any": over.map(spread)})
        }).collect::<Vec<_>>(),
        "refused": growth.refused.iter().map(|(size, why)| json!({"size": size, "why": why})).collect::<Vec<_>>(),
    })
}
