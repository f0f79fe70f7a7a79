//! An image that was altered, with the checksum made right, is refused or runs safely within limits.
//!
//! Input: a byte; then, where that is odd, places and bytes to change in the image of a generated schema (three of each), and the
//! choices of the generator; else the length of an image (two bytes), the image as it is, and an instance.
#![no_main]

use libfuzzer_sys::fuzz_target;
use microschema::{Issues, Limits, Program};
use microschema_fuzz::{Case, seal};
use microschema_tests::toy::{Toy, Tree};
use std::fmt::Write;

fuzz_target!(|data: &[u8]| {
    let Some((&mode, rest)) = data.split_first() else { return };
    if mode % 2 == 1 {
        let Some((changes, rest)) = rest.split_first_chunk::<9>() else { return };
        let case = Case::of(rest);
        let mut arena = Vec::new();
        let mut image = case.compile(&mut arena).as_bytes().to_vec();
        let body = image.len() - 6;
        for (index, change) in changes.as_chunks::<3>().0.iter().enumerate() {
            // One to three changes.
            if index <= usize::from(mode >> 1) % 3 {
                image[6 + usize::from(u16::from_le_bytes([change[0], change[1]])) % body] ^= change[2];
            }
        }
        seal(&mut image);
        for (_, instance) in &case.instances {
            run(&image, instance.as_bytes());
        }
    } else {
        let Some((length, rest)) = rest.split_first_chunk::<2>() else { return };
        let (image, instance) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
        let mut image = image.to_vec();
        seal(&mut image);
        run(&image, instance);
    }
});

fn run(image: &[u8], instance: &[u8]) {
    let program = match Program::from_bytes(image) {
        Ok(program) => program,
        Err(error) => return drop(error.to_string()),
    };
    let mut listing = Bounded(1 << 20);
    let _ = write!(listing, "{program}");
    let _ = program.stats();
    let validator = program.validator().limits(Limits::new().with_depth(64).with_steps(20_000));
    let _ = validator.is_valid(instance);
    let mut issues = Issues::<4>::new();
    let _ = validator.validate(instance, &mut issues);
    for issue in &issues {
        let description = issue.describe(&program, instance).show_value(20);
        let mut text = Bounded(1 << 20);
        let _ = write!(text, "{description}");
        let _ = serde_json::to_writer(&mut text, &description);
    }
    if let Ok(Ok(tree)) = std::str::from_utf8(instance).map(Tree::parse) {
        let mut issues = Issues::<4>::new();
        let _ = validator.run(Toy(&tree), Some(&mut issues));
        for issue in &issues {
            let _ = write!(Bounded(1 << 20), "{}", issue.describe_in(&program, Toy(&tree)));
        }
    }
}

/// Takes so many bytes; more of them from a short image is a fault.
struct Bounded(usize);

impl Bounded {
    fn take(&mut self, length: usize) {
        self.0 = self.0.checked_sub(length).expect("a short image has a short text");
    }
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.take(text.len());
        Ok(())
    }
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.take(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
