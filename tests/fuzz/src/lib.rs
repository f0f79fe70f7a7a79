//! What the targets share: inputs taken apart, schemas and instances made of bytes.

use microschema::{Dialect, Error, Issues, Limits, Options, Program};
use microschema_tests::both::{self, Outcome};
use microschema_tests::generate::{Generator, Random, spell, spell_all_but_numbers};
use microschema_tests::schema_generator::SchemaGenerator;
use microschema_tests::toy::Tree;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What hash maps are seeded with: always the same, so that a run with the same inputs goes the same ways. In the place of the function of
/// that name in the C library.
///
/// # Safety
/// As there: `len` bytes at `buffer` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, len: usize, _flags: u32) -> isize {
    // SAFETY: the caller's, above.
    unsafe { buffer.write_bytes(0xA5, len) };
    len as isize
}

/// Splits an input at the first byte that no JSON text holds.
#[must_use]
pub fn split(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&byte| byte == 0xFF).unwrap_or(data.len());
    (&data[..at], data.get(at + 1..).unwrap_or_default())
}

/// A generated schema, and instances for it.
#[derive(Debug)]
pub struct Case {
    pub dialect: Dialect,
    pub schema: Value,
    /// The schema, spelled in some way.
    pub text: String,
    /// Each with the text it is spelled as.
    pub instances: Vec<(Value, String)>,
}

impl Case {
    /// The first byte is the dialect; the rest are choices, first those of the instances.
    #[must_use]
    pub fn of(data: &[u8]) -> Self {
        let (first, rest) = data.split_first().unwrap_or((&0, &[]));
        // Up to 64 choices for each instance, so that they stay the same when those of the schema move.
        let (mut instance_bytes, schema_bytes) = rest.split_at(rest.len().min(96) / 2);
        let dialect = Dialect::ALL[usize::from(first & 7) % 5];
        let mut schemas = SchemaGenerator { dialect, random: Random::from_bytes(schema_bytes) };
        let schema = schemas.document();
        let mut spelling = schemas.random;
        // In draft-04, whether a number is an integer is a matter of its spelling.
        let spell = if dialect == Dialect::Draft4 { spell_all_but_numbers } else { spell };
        let text = spell(&schema, &mut spelling);
        let mut instances = Vec::new();
        for index in 0..3 {
            let (bytes, rest) = instance_bytes.split_at(instance_bytes.len() / (3 - index));
            instance_bytes = rest;
            let mut random = Random::from_bytes(bytes);
            let (value, mut random) = match random.below(3) {
                0 => {
                    let mut small = SchemaGenerator { dialect, random };
                    (small.instance(3), small.random)
                }
                slips => {
                    let mut generator = Generator::with(&schema, random);
                    (generator.instance(if slips == 1 { 0 } else { 12 }), generator.random)
                }
            };
            // Whether 1.0 is an integer of draft-04 is answered variously.
            let value = if dialect == Dialect::Draft4 { without_whole_fractions(value) } else { value };
            let text = spell(&value, &mut random);
            instances.push((value, text));
        }
        Self { dialect, schema, text, instances }
    }

    /// The program of the schema, with formats as annotations.
    ///
    /// # Panics
    /// When the schema does not compile.
    #[must_use]
    pub fn compile<'p>(&self, arena: &'p mut Vec<u8>) -> Program<'p> {
        arena.resize(1 << 17, 0);
        Options::new()
            .assert_formats(false)
            .compile(self.text.as_bytes(), arena)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

/// With 3 in the place of each 3.0.
fn without_whole_fractions(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => (float as i64).into(),
            _ => number.into(),
        },
        Value::Array(items) => items.into_iter().map(without_whole_fractions).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, without_whole_fractions(value))).collect()
        }
        other => other,
    }
}

/// What validation gives, in both modes and by both readers. `None` where it takes more steps than a fuzzer has time for.
///
/// # Panics
/// When modes or readers disagree.
#[must_use]
pub fn outcome(program: &Program<'_>, instance: &str) -> Option<Outcome> {
    let limits = Limits::new().with_steps(200_000);
    let mut issues = Issues::<1>::new();
    if let Err(Error::Limit(_)) = program.validator().limits(limits).validate(instance.as_bytes(), &mut issues) {
        return None;
    }
    // The readers may need different numbers of steps.
    let outcome = both::validate_within(program, instance.as_bytes(), limits.with_steps(2_000_000));
    Some(outcome.unwrap_or_else(|message| panic!("{message}\n{program}\n{instance}")))
}

/// Whether some object names a member twice.
#[must_use]
pub fn repeats_a_name(tree: &Tree) -> bool {
    match tree {
        Tree::Array(items) => items.iter().any(repeats_a_name),
        Tree::Object(members) => {
            let mut names = BTreeSet::new();
            members.iter().any(|(name, value)| !names.insert(name) || repeats_a_name(value))
        }
        _ => false,
    }
}

/// Magic and version of an image, as this build writes them.
static START: LazyLock<[u8; 2]> = LazyLock::new(|| {
    let mut arena = [0; 64];
    let program = microschema::compile(b"true", &mut arena).expect("compiles");
    let start = *program.as_bytes().first_chunk().expect("a header");
    let mut sealed = program.as_bytes().to_vec();
    seal_as(&mut sealed, start);
    assert_eq!(sealed, program.as_bytes(), "the checksum is another one: see core/ARCHITECTURE.md");
    start
});

/// Makes the header of an image right: magic, version and checksum, as `core/ARCHITECTURE.md` has them.
pub fn seal(image: &mut [u8]) {
    seal_as(image, *START);
}

fn seal_as(image: &mut [u8], start: [u8; 2]) {
    if image.len() < 6 {
        return;
    }
    let checksum = hash(&image[6..]);
    image[..2].copy_from_slice(&start);
    image[2..6].copy_from_slice(&checksum.to_le_bytes());
}

fn hash(bytes: &[u8]) -> u32 {
    let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(0, |state, word| mix(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = mix(mix(state, u64::from_le_bytes(last)), bytes.len() as u64);
    (state ^ state >> 32) as u32
}
