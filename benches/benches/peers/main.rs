mod heap;
mod measure;
use measure::*;
use microschema::{Options, Issues};
use microschema_benches::sets;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::hint::black_box;

fn main() {
    let effort = Effort::FULL;
    let mut all = vec![];
    let mut other = vec![];
    let mut list = sets::mcp().unwrap();
    if std::env::args().any(|a| a == "--all") { list.extend(sets::public().unwrap().unwrap()); }
    for set in list {
        let mut arena = vec![0u8; 4 << 20];
        let program = match Options::new().assert_formats(false).compile(&set.schema, &mut arena) {
            Ok(p) => p,
            Err(e) => { println!("{:28} {e:?}", set.name); continue }
        };
        let program = &program;
        let schema: Value = serde_json::from_slice(&set.schema).unwrap();
        let js = match jsonschema::options().should_validate_formats(false).build(&schema) { Ok(v) => v, Err(e) => { println!("{} {e}", set.name); continue } };
        let (valid, js) = (&set.valid, &js);
        let trees: Vec<Value> = valid.iter().map(|b| serde_json::from_slice(b).unwrap()).collect();
        let trees = &trees;
        let mut c = vec![
            Candidate::new("ignored", move || valid.iter().filter(|b| serde_json::from_slice::<IgnoredAny>(black_box(b)).is_ok()).count()),
            Candidate::new("value", move || valid.iter().filter(|b| serde_json::from_slice::<Value>(black_box(b)).is_ok()).count()),
            Candidate::new("ours", move || valid.iter().filter(|b| program.is_valid(black_box(b)) == Ok(true)).count()),
            Candidate::new("ours_validate", move || valid.iter().filter(|b| program.validate(black_box(b), &mut Issues::<8>::new()) == Ok(true)).count()),
            Candidate::new("ours_tree", move || trees.iter().filter(|b| program.validator().run(microschema_benches::tree::Tree(black_box(b)), None) == Ok(true)).count()),
            Candidate::new("jsonschema", move || valid.iter().filter(|b| serde_json::from_slice::<Value>(black_box(b)).is_ok_and(|v| js.is_valid(&v))).count()),
            Candidate::new("jsonschema_tree", move || trees.iter().filter(|b| js.is_valid(black_box(b))).count()),
        ];
        for c in &mut c { let n = (c.pass)(); if n != valid.len() { println!("{} {}: {n} of {}", set.name, c.name, valid.len()); } }
        let t = Times::of(&mut c, effort);
        let n = valid.len() as f64;
        let r = |n, b| t.ratio(n, b).unwrap().median;
        println!("{:28} IgnoredAny {:9.0} ns/inst  ours {:.2}x [{:.2}-{:.2}]  validate {:.2}x  Value {:.2}x  Value+jsonschema {:.2}x  speedup {:.2}  tree: ours/jsonschema {:.2}  program {} B",
            set.name, t.nanoseconds("ignored").unwrap().median / n, r("ours","ignored"), t.ratio("ours","ignored").unwrap().low, t.ratio("ours","ignored").unwrap().high, r("ours_validate","ignored"), r("value","ignored"), r("jsonschema","ignored"), r("jsonschema","ours"), r("ours_tree","jsonschema_tree"), program.as_bytes().len());
        let row = (r("ours","ignored"), r("jsonschema","ours"), r("ours_tree","jsonschema_tree"), r("ours_validate","ours"));
        if set.is_mcp() { all.push(row) } else { other.push(row) };
    }
    for (name, all) in [("mcp", all), ("other", other)] {
        let g = |f: fn(&(f64,f64,f64,f64)) -> f64| geometric_mean(all.iter().map(f)).unwrap_or(0.0);
        println!("geomean {name} ({}): ours/IgnoredAny {:.2} (worst {:.2})  speedup over Value+jsonschema {:.2}  tree ours/jsonschema {:.2}  validate/is_valid {:.2}", all.len(), g(|r| r.0), all.iter().map(|r| r.0).fold(0.0, f64::max), g(|r| r.1), g(|r| r.2), g(|r| r.3));
    }
}
