//! What the device can do. Arguments have passed their schema when they get here; `serde-json-core` makes them types.

use crate::programs::{READ_TEMPERATURE, SCHEDULE, WRITE_REGISTER};
use crate::server::{CallIssues, log_issues, start};
use core::fmt;
use heapless::{String, Vec};
use microschema::Number;
use microschema::mcp::{Call, Full, Plain, Raw};
use serde::{Deserialize, Serialize};

/// The longest string of any arguments, for its escapes to be decoded in.
const TEXT: usize = 16;

/// The heating.
pub struct Device {
    registers: [u16; 16],
    day: Option<Schedule>,
}

#[derive(Deserialize)]
struct Schedule {
    date: String<10>,
    steps: Vec<Step, 8>,
}

/// The branches of the schema's `oneOf`: which members there are depends on `kind`.
#[derive(Deserialize)]
struct Step {
    kind: Kind,
    celsius: Option<u16>,
    minutes: Option<u16>,
    points: Option<Vec<(u16, u16), 6>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Hold,
    Ramp,
    Off,
}

#[derive(Deserialize)]
struct WriteRegister {
    register: u16,
    value: String<6>,
}

#[derive(Deserialize)]
struct ReadTemperature {
    sensor: Sensor,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Sensor {
    Flow,
    Return,
    Attic,
}

#[derive(Serialize)]
struct Temperature {
    sensor: Sensor,
    celsius: i16,
}

impl Device {
    pub const fn new() -> Self {
        Self { registers: [0; 16], day: None }
    }

    /// Runs the tool that is called.
    pub fn run(&mut self, call: &Call<'_, '_>, issues: &mut CallIssues, out: &mut [u8]) -> Result<usize, Full> {
        match call.index {
            SCHEDULE => self.schedule(call, out),
            WRITE_REGISTER => self.write_register(call, out),
            READ_TEMPERATURE => read_temperature(call, issues, out),
            _ => call.error(out, &Plain("The tool has no handler.")),
        }
    }

    fn schedule(&mut self, call: &Call<'_, '_>, out: &mut [u8]) -> Result<usize, Full> {
        match call.arguments.typed::<Schedule>(&mut [0; TEXT]) {
            Ok(day) => call.text(out, self.day.insert(day)),
            Err(error) => untyped(call, &error, out),
        }
    }

    fn write_register(&mut self, call: &Call<'_, '_>, out: &mut [u8]) -> Result<usize, Full> {
        let write = match call.arguments.typed::<WriteRegister>(&mut [0; TEXT]) {
            Ok(write) => write,
            Err(error) => return untyped(call, &error, out),
        };
        let digits = write.value.strip_prefix("0x").unwrap_or_default();
        match (self.registers.get_mut(usize::from(write.register)), u16::from_str_radix(digits, 16)) {
            (Some(register), Ok(value)) => {
                let before = core::mem::replace(register, value);
                call.text(out, &Written { before, value })
            }
            _ => call.error(out, &Plain("No such register, or no such value.")),
        }
    }
}

fn read_temperature(call: &Call<'_, '_>, issues: &mut CallIssues, out: &mut [u8]) -> Result<usize, Full> {
    let sensor = match call.arguments.typed::<ReadTemperature>(&mut [0; TEXT]) {
        Ok(read) => read.sensor,
        Err(error) => return untyped(call, &error, out),
    };
    let mut text = [0; 64];
    let length = serde_json_core::to_slice(&Temperature { sensor, celsius: measured(sensor) }, &mut text);
    let content = length.ok().and_then(|length| text.get(..length)).and_then(|json| Raw::new(json).ok());
    let Some(content) = content else { return call.error(out, &Plain("The reading does not fit its buffer.")) };
    let written = call.structured(content, issues, out);
    if let Some(program) = call.tool.output() {
        log_issues(call.id, "result", &program, content, issues);
    }
    written
}

/// One of the sensors has come off its cable: it reads as all ones, −127 °C on many parts.
const fn measured(sensor: Sensor) -> i16 {
    match sensor {
        Sensor::Flow => 41,
        Sensor::Return => 33,
        Sensor::Attic => -127,
    }
}

/// Arguments that the schema takes, but `serde-json-core` does not read: for JSON Schema, 3.0 is an integer.
fn untyped(call: &Call<'_, '_>, error: &serde_json_core::de::Error, out: &mut [u8]) -> Result<usize, Full> {
    defmt::warn!("call {=str}: arguments not read: {}", start(call.id), error);
    call.error(out, &Plain("Not read: write whole numbers without a fraction, such as 3 for 3.0."))
}

impl Step {
    fn minutes(&self) -> u16 {
        let last = self.points.as_ref().and_then(|points| points.last()).map(|&(minute, _)| minute);
        self.minutes.or(last).unwrap_or(0)
    }

    fn most_celsius(&self) -> u16 {
        let points = self.points.iter().flatten().map(|&(_, celsius)| celsius);
        if self.kind == Kind::Off { 0 } else { points.chain(self.celsius).max().unwrap_or(0) }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes: u64 = self.steps.iter().map(|step| u64::from(step.minutes())).sum();
        let most = self.steps.iter().map(Step::most_celsius).max().unwrap_or(0);
        f.write_str(&self.date)?;
        count(f, ": ", self.steps.len() as u64)?;
        count(f, " step(s), ", minutes)?;
        count(f, " minutes, at most ", most.into())?;
        f.write_str(" °C.")
    }
}

struct Written {
    before: u16,
    value: u16,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        count(f, "", self.value.into())?;
        count(f, ", was ", self.before.into())?;
        f.write_str(".")
    }
}

/// A text and a number, written with what the engine has for it: `{}` would bring a kilobyte along.
fn count(f: &mut fmt::Formatter<'_>, before: &str, number: u64) -> fmt::Result {
    f.write_str(before)?;
    Number::from_u64(number).write(f)
}
