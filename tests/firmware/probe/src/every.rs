//! Calls every public function of the engine that an MCP server or a validator does not call by itself, on data nobody knows anything of.
//! With those of `main.rs` it is every one there is, which `tools/entries.py` checks.

use core::fmt::{Display, Write as _};
use core::hint::black_box;
use microschema::mcp::{Definition, Failure, JsonWriter, Lines, Message, Raw, Reason, Subject, Tool, Tools, reply};
use microschema::{
    Dialect, Halt, Instance, Issues, Json, JsonErrorKind, Kind, Limit, Limits, Next, Number, Options, Pattern, Program,
    Text,
};
use probe::{opaque, sink::Sink};

pub fn call(program: Program<'_>) {
    engine(program);
    schemas();
    readers();
    numbers();
    texts();
    patterns();
    messages(program);
}

fn show(what: &dyn Display) {
    let mut sink = Sink::default();
    let _ = black_box(write!(sink, "{what}"));
    black_box(sink.0);
}

fn number() -> Number<'static> {
    Number::from_literal(opaque::bytes())
}

fn text() -> Text<'static> {
    Text::plain(str::from_utf8(opaque::bytes()).unwrap_or_default())
}

fn raw() -> Raw<'static> {
    Raw::new(opaque::bytes()).unwrap_or(Raw::NULL)
}

fn engine(program: Program<'_>) {
    show(&program);
    black_box(program.stats());
    let needs = black_box(program.needs());
    black_box((needs.are_built(), Program::from_build(opaque::bytes(), needs).is_ok()));
    let limits = Limits::device().with_depth(black_box(9)).with_steps(black_box(9));
    let validator = program.validator().limits(black_box(limits)).unique_names(black_box(true));
    black_box((validator.is_valid(opaque::bytes()).is_ok(), Limits::new()));
    let mut issues = Issues::<2>::new();
    let _ = black_box(validator.validate(opaque::bytes(), &mut issues));
    let mut scratch = [0; 64];
    if let Ok(json) = Json::new(opaque::bytes()) {
        black_box(json.bytes());
        let _ = black_box(validator.run(json, Some(&mut issues)));
        let _ = black_box(validator.run_with(json, None, &mut scratch));
        for issue in issues.iter() {
            let described = issue.describe_in(&program, json).show_value(black_box(7));
            show(&described);
            show(&described.pointer());
            show(&described.message());
            black_box((described.keyword(), issue.at()));
            described.each_segment(&mut |segment| show(&segment));
        }
    }
    black_box((issues.as_slice().len(), issues.omitted(), issues.is_empty()));
    issues.clear();
    let halts = [Halt::limit(black_box(Limit::Steps)), Halt::json(black_box(JsonErrorKind::InvalidUtf8), black_box(1))];
    black_box((halts, black_box(JsonErrorKind::InvalidUtf8).is_truncated()));
}

fn schemas() {
    let base = str::from_utf8(opaque::bytes()).unwrap_or_default();
    let documents = [(base, opaque::bytes())];
    let dialect = Dialect::from_uri(base).unwrap_or_default();
    let options =
        Options::new().dialect(dialect).assert_formats(black_box(false)).documents(&documents).properties(&documents);
    match options.compile(opaque::bytes(), opaque::buffer()) {
        Ok(program) => drop(black_box(Program::trusted(program.as_bytes()).as_bytes().len())),
        Err(error) => {
            show(&error);
            show(&error.pointer(opaque::bytes()));
        }
    }
    black_box((dialect.uri(), microschema::META_SCHEMAS.len()));
    black_box(microschema::resolve_reference(base, base, opaque::buffer()).map(str::len));
}

/// What a reader of the caller's would be asked for.
fn readers() {
    let Ok(json) = Json::new(opaque::bytes()) else { return };
    let at = black_box(3);
    if let Ok(Kind::Array) = json.kind(at) {
        let mut items = json.items(at);
        if let Ok(Next::Item(item)) = json.next_item(&mut items, at) {
            black_box(item);
        }
    }
    let mut members = json.members(at);
    black_box((json.members_left(&members), json.items_left(&json.items(at))));
    if let Ok(Next::Item(member)) = json.next_member(&mut members, at) {
        black_box(member.name.end());
    }
    let _ = black_box((
        json.first_name(at),
        json.next_name(at),
        json.member_at(at).is_ok(),
        json.types(at),
        json.types_at_most(at),
        json.literal(at),
    ));
    let _ = black_box((json.string_len(at), json.string_among(at, opaque::bytes(), black_box(2))));
    black_box(json.value_of(at, opaque::bytes()));
    let _ = black_box((
        json.value_named(at, opaque::bytes()),
        json.entry_among(at, opaque::bytes(), 0..at),
        json.value_behind(at),
    ));
    let _ = black_box((json.root().is_ok(), json.string(at).is_ok(), json.number(at).is_ok(), json.short_number(at)));
    let _ = black_box((json.skip(at, black_box(9)).is_ok(), json.finish(at).is_ok(), Instance::span(json, at, at)));
    black_box((json.names_are_unique(), json.id(at), json.holds(at, at, at), json.remember(at, 1), json.recall(at, 1)));
}

fn numbers() {
    let (one, other) = (number(), Number::from_parts(black_box(true), black_box(7), black_box(-7)));
    black_box((Number::from_u64(black_box(7)).is_integer(), Number::from_i64(black_box(-7)).is_negative()));
    black_box((one.is_plain_integer(), one.is_integer(), one.is_negative(), one.to_u64(), one.hash()));
    black_box((one.compare(other), one.equals(other), one.is_multiple_of(other), other.divisor_supported()));
    black_box(Number::decode(opaque::bytes(), black_box(3)).is_some());
    let _ = black_box(one.write(&mut Sink::default()));
}

fn texts() {
    let text = text();
    black_box((text.as_plain(), text.end(), text.next(black_box(3)), text.prev(black_box(3)), text.count()));
    black_box((text.equals(opaque::bytes()), text.equals_text(text), text.chars().count()));
}

fn patterns() {
    match Pattern::compile(text(), opaque::buffer()) {
        Ok(pattern) => drop(black_box(pattern.as_bytes().len())),
        Err(error) => show(&error),
    }
    if let Some(pattern) = Pattern::from_bytes(opaque::bytes()) {
        let _ = black_box(pattern.is_match(text(), &mut black_box(9)));
    }
    black_box(Pattern::lenient(text()).count());
}

fn messages(program: Program<'_>) {
    let raw = raw();
    black_box((raw.as_str(), raw.kind(), raw.string().is_some(), raw.integer(), raw.member("a").is_some()));
    raw.elements().for_each(|element| {
        black_box((element.0.is_some(), element.1.as_str()));
    });
    let mut lines = Lines::new(opaque::buffer());
    let _ = black_box(lines.feed(opaque::bytes()));
    black_box(lines.unfinished());
    lines.clear();
    if let Err(refusal) = Message::read_within(opaque::bytes(), black_box(9)) {
        show(&refusal.reason());
        black_box((refusal.reason().code(), refusal.id(), refusal.is_answered()));
    }
    tables(program);
    answers(program, raw);
}

fn tables(program: Program<'_>) {
    let Ok(definition) = Definition::read(opaque::bytes()).inspect_err(|error| show(error)) else { return };
    black_box((definition.raw(), definition.name().end(), definition.input_schema(), definition.output_schema()));
    let span = black_box(3)..black_box(7);
    let text = str::from_utf8(opaque::bytes()).unwrap_or_default();
    let tool = Tool::from_build(text, text, (span.clone(), program), black_box(Some((span, program))));
    black_box((tool.definition().raw(), tool.input().as_bytes(), tool.output().is_some()));
    let tools = [tool];
    let table = Tools::from_build(&tools).limits(Limits::device()).ttl_ms(black_box(7));
    black_box((table.as_slice().len(), table.find(definition.name()).is_some(), table.page_length()));
    if let Err(error) = Tools::new(&tools) {
        show(&error);
    }
}

fn answers(program: Program<'_>, raw: Raw<'_>) {
    let what: &dyn Display = &raw;
    let out = opaque::buffer();
    let _ = black_box(reply::error(out, Some(raw), black_box(7), what, Some(raw)));
    let _ = black_box((reply::result(out, raw, raw), reply::too_long(out, Some(raw)), reply::text(out, raw, what)));
    let _ = black_box((reply::tool_error(out, raw, what), reply::structured(out, raw, raw)));
    let _ = black_box(reply::unsupported_version(out, raw, &["a"], text()));
    let issues = Issues::<2>::new();
    let failure = Failure::new(black_box(Subject::Output), &program, raw, &issues);
    show(&failure);
    let _ = black_box(failure.write(out, raw));
    show(&black_box(Reason::Cursor));
    let mut json = JsonWriter::new(out);
    json.begin_object().name("a").begin_array().string("b").display(what).integer(black_box(7));
    json.boolean(black_box(true)).null().raw(raw).text(&mut |out| out.write_str("c")).end_array().end_object();
    if let Err(full) = json.finish() {
        show(&full);
    }
}
