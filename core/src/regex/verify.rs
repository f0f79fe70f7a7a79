//! The check of an image from elsewhere: after it, matching means what the code says.
//!
//! Matching is safe and bounded on any bytes; this finds images that were not made by the compiler, or damaged.

use super::program::{
    ACCEPT, ACCEPT_LAST, ANCHORED, BACKWARD, CHAR, COUNT_MOST, COUNT_REGISTER, CUSTOM, ENTER, Image, JUMP, LOOK,
    LOOK_NOT, LOOKS, MAX_CLASSES, MAX_CODE, MAX_LOOKS, MAX_SLOTS, NONE, ONE_PASS, PARTS, PEEK_AHEAD, RUN_OPTION,
    RUN_RANGE, RUN_STAR, RUN_TIMES, TEXT_START, YIELD,
};

/// Whether the bytes are an image of a pattern that this build can run.
#[inline(never)]
pub(super) fn verify(program: &[u8]) -> bool {
    let Some(image) = Image::parse(program) else {
        return false;
    };
    if image.flags != PARTS {
        return header(&image) && code(&image).is_some();
    }
    let (mut rest, mut count) = (image.code, 0);
    while let Some((part, _)) = image.part(&mut rest) {
        count += 1;
        if part.has(LOOKS) || !header(&part) || code(&part).is_none() {
            return false;
        }
    }
    rest.is_empty() && (1..=MAX_LOOKS + 1).contains(&count)
}

fn header(image: &Image<'_>) -> bool {
    image.flags & !(ONE_PASS | BACKWARD | ANCHORED | LOOKS) == 0
        && (!image.has(ONE_PASS) || (image.has(ANCHORED) && !image.has(LOOKS)))
        && image.classes <= MAX_CLASSES
        && image.holds_its_classes()
        && image.looks() <= MAX_LOOKS
        && image.code.len() <= MAX_CODE
}

fn code(image: &Image<'_>) -> Option<()> {
    let mut starts = [0u8; MAX_CODE / 8];
    let (mut at, mut look, mut open_end) = (0, 0, true);
    while at < image.code.len() {
        *starts.get_mut(at / 8)? |= 1 << (at % 8);
        if at == image.look(look).0 && look <= image.looks() {
            // Each look-around ends with its `YIELD` before the next one starts.
            (at == 0 || !open_end).then_some(())?;
            look += 1;
        }
        let op = image.byte(at);
        (op != ENTER || (COUNT_REGISTER..=COUNT_MOST).contains(&image.byte(at + 1))).then_some(())?;
        open_end = !(matches!(op, JUMP..=0xDF | YIELD) || op >= ACCEPT);
        at = instruction(image, at, look)?;
    }
    (look == image.looks() + 1 && !open_end && at == image.code.len()).then_some(())?;
    // Jumps lead to instructions of the same part.
    at = 0;
    let (mut from, mut to) = (0, 0);
    for index in 0..=image.looks() {
        while at < image.code.len() && at >= to {
            from = to;
            to = if index < image.looks() { image.look(index + 1).0 } else { image.code.len() };
            if from >= to {
                return None;
            }
        }
        while at < to {
            let op = image.byte(at);
            if (JUMP..TEXT_START).contains(&op) {
                let target = image.target(at);
                let known = starts.get(target / 8)? >> (target % 8) & 1 != 0;
                (known && (from..to).contains(&target)).then_some(())?;
            }
            at = instruction(image, at, image.looks() + 1)?;
        }
    }
    Some(())
}

/// The position behind the instruction at `at`, if it is well-formed. `looks`: how many parts have started.
fn instruction(image: &Image<'_>, at: usize, looks: usize) -> Option<usize> {
    let one_pass = image.has(ONE_PASS);
    let consumes = |code: u8| match code {
        0..=NONE => true,
        CUSTOM..RUN_STAR => code - CUSTOM < image.classes,
        _ => false,
    };
    let op = image.byte(at);
    let operand = image.byte(at + 1);
    let (fits, next) = match op {
        0..RUN_STAR => (consumes(op), at + 1),
        RUN_STAR..=RUN_OPTION => (consumes(operand), at + 2),
        RUN_TIMES => (one_pass && consumes(operand), at + 3),
        RUN_RANGE => {
            let (min, max, next) = image.bounds(at + 2);
            (one_pass && consumes(operand) && min <= max, next)
        }
        CHAR => (true, at + 4),
        ENTER => (!one_pass, at + 1),
        COUNT_REGISTER..=COUNT_MOST => {
            let (min, max, next) = image.bounds(at + 3);
            let slot = usize::from(image.byte(at + 2)) < MAX_SLOTS;
            (!one_pass && consumes(operand) && slot && min <= max && at > 0 && image.byte(at - 1) == ENTER, next)
        }
        JUMP..TEXT_START => (true, at + 2),
        TEXT_START..PEEK_AHEAD => (true, at + 1),
        PEEK_AHEAD..LOOK => (consumes(operand), at + 2),
        LOOK | LOOK_NOT => {
            let index = usize::from(operand);
            // Decided before it is asked for; one that runs by itself asks for no other.
            (index + 1 < looks && !(looks <= image.looks() && image.look(looks - 1).1), at + 2)
        }
        YIELD => (usize::from(operand) < image.looks(), at + 2),
        ACCEPT | ACCEPT_LAST => (true, at + 1),
        _ => (false, at),
    };
    (fits && next <= image.code.len()).then_some(next)
}
