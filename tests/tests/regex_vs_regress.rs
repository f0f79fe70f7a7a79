//! Our regex engine and `regress`, an ECMA-262 engine that backtracks: the same verdict on generated patterns and strings.

use microschema::{Pattern, PatternErrorKind, Text};
use microschema_tests::backtrack::is_cheap;
use microschema_tests::generate::Random;
use microschema_tests::patterns::{pattern, text};

/// Compares `count` patterns on `texts` strings each; gives how many were compared, and how many matched.
fn compare(seed: u64, count: usize, ends: [&str; 2], looks: bool) -> (usize, usize) {
    let mut random = Random::new(seed);
    let (mut compared, mut matched, mut refused) = (0, 0, 0);
    let mut buffer = vec![0; 1 << 16];
    for _ in 0..count {
        let pattern = pattern(&mut random, ends, looks);
        // One that goes back may go on for ever.
        if !is_cheap(&pattern, 12) {
            continue;
        }
        let peer = regress::Regex::with_flags(&pattern, "u");
        let ours = Pattern::compile(Text::plain(&pattern), &mut buffer);
        let (peer, ours) = match (peer, ours) {
            (Ok(peer), Ok(ours)) => (peer, ours),
            (Err(_), Err(_)) => continue,
            (Ok(_), Err(e)) => {
                let limit = matches!(e.kind, PatternErrorKind::TooLarge(_) | PatternErrorKind::LookAround);
                assert!(limit, "{pattern}: {e:?}");
                refused += 1;
                continue;
            }
            (Err(e), Ok(_)) => panic!("{pattern}: {e:?}"),
        };
        assert!(Pattern::from_bytes(ours.as_bytes()).is_some(), "{pattern}: {:?}", ours.as_bytes());
        for _ in 0..12 {
            let text = text(&mut random);
            let expected = peer.find(&text).is_some();
            let mut steps = 1 << 20;
            assert_eq!(
                ours.is_match(Text::plain(&text), &mut steps),
                Ok(expected),
                "{pattern:?} on {text:?}: {:?}",
                ours.as_bytes()
            );
            compared += 1;
            matched += usize::from(expected);
        }
    }
    assert!(refused * 20 < count, "{refused} of {count} refused");
    (compared, matched)
}

#[test]
fn without_look_around() {
    let (compared, matched) = compare(0x9E37_79B9_7F4A_7C15, 5000, ["", ""], false);
    assert!(compared > 40_000 && matched * 5 > compared && matched * 5 < 4 * compared, "{compared} {matched}");
}

#[test]
fn with_look_around() {
    let (compared, matched) = compare(0xD1B5_4A32_D192_ED03, 5000, ["", ""], true);
    assert!(compared > 40_000 && matched * 5 > compared && matched * 5 < 4 * compared, "{compared} {matched}");
}

/// Most of these are such that one thread is enough.
#[test]
fn anchored() {
    let (compared, matched) = compare(0x2545_F491_4F6C_DD1D, 6000, ["^", "$"], false);
    assert!(compared > 40_000 && matched * 50 > compared, "{compared} {matched}");
    let (compared, matched) = compare(0xBF58_476D_1CE4_E5B9, 3000, ["^", ""], true);
    assert!(compared > 20_000 && matched * 50 > compared, "{compared} {matched}");
}

/// `regress` is at Unicode 17, as our tables are.
#[test]
fn properties() {
    let names = "Lu Ll LC L M Mn N Nd P Po S Sc Z Zs C Cc Cf Co Cn Letter digit punct gc=Lt General_Category=Math_Symbol \
        sc=Latin sc=Grek Script=Cyrillic sc=Han sc=Hira sc=Zyyy sc=Zinh sc=Arab sc=Thai sc=Adlm scx=Latin scx=Hira scx=Han \
        scx=Deva Script_Extensions=Greek scx=Arab scx=Zyyy ASCII AHex Alphabetic Any Assigned Bidi_M CI Cased CWCF CWCM CWL CWKCF CWT \
        CWU Dash DI Dep Dia Emoji EComp EMod EBase EPres ExtPict Ext Gr_Base Gr_Ext Hex IDSB IDST IDC IDS Ideo Join_C LOE \
        Lower Math NChar Pat_Syn Pat_WS QMark Radical RI STerm SD Term UIdeo Upper VS White_Space space XIDC XIDS";
    // All of the small ones, then samples.
    let sample: Vec<char> = (0..0x500).chain((0x500..0x11_0000).step_by(167)).filter_map(char::from_u32).collect();
    for name in names.split_ascii_whitespace() {
        let mut buffer = [0; 16384];
        let pattern = format!("^\\p{{{name}}}$");
        let ours = Pattern::compile(Text::plain(&pattern), &mut buffer).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let peer =
            regress::Regex::with_flags(&format!("\\p{{{name}}}"), "u").unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let all: String = sample.iter().collect();
        let mut expected = vec![false; all.len()];
        peer.find_iter(&all).for_each(|m| expected[m.start()] = true);
        for (at, c) in all.char_indices() {
            let mut text = [0; 4];
            let verdict = ours.is_match(Text::plain(c.encode_utf8(&mut text)), &mut 100);
            assert_eq!(verdict, Ok(expected[at]), "{name} {:x}", u32::from(c));
        }
    }
}
