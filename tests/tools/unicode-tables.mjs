// Writes core/src/regex/unicode.bin, the tables behind `\\p{…}`: node tests/tools/unicode-tables.mjs
//
// A fingerprint of what was packed goes into unicode.rs, whose test unpacks it.
//
// The properties come from the engine that runs this script (process.versions.unicode); the layout is described in
// core/src/regex/unicode.rs. Names are those of ECMA-262's tables 67 to 70 and of PropertyValueAliases.txt.
import { readFileSync, writeFileSync } from "node:fs";

const LAST = 0x10ffff;
const CATEGORIES = `Lu=Uppercase_Letter Ll=Lowercase_Letter Lt=Titlecase_Letter Lm=Modifier_Letter Lo=Other_Letter Mn=Nonspacing_Mark
  Mc=Spacing_Mark Me=Enclosing_Mark Nd=Decimal_Number=digit Nl=Letter_Number No=Other_Number Pc=Connector_Punctuation
  Pd=Dash_Punctuation Ps=Open_Punctuation Pe=Close_Punctuation Pi=Initial_Punctuation Pf=Final_Punctuation
  Po=Other_Punctuation Sm=Math_Symbol Sc=Currency_Symbol Sk=Modifier_Symbol So=Other_Symbol Zs=Space_Separator
  Zl=Line_Separator Zp=Paragraph_Separator Cc=Control=cntrl Cf=Format Cs=Surrogate Co=Private_Use Cn=Unassigned
  LC=Cased_Letter L=Letter M=Mark=Combining_Mark N=Number P=Punctuation=punct S=Symbol Z=Separator C=Other`.split(/\s+/);
const SINGLE = 30;
const BINARY = `ASCII ASCII_Hex_Digit=AHex Alphabetic=Alpha Any Assigned Bidi_Control=Bidi_C Bidi_Mirrored=Bidi_M Case_Ignorable=CI
  Cased Changes_When_Casefolded=CWCF Changes_When_Casemapped=CWCM Changes_When_Lowercased=CWL
  Changes_When_NFKC_Casefolded=CWKCF Changes_When_Titlecased=CWT Changes_When_Uppercased=CWU Dash
  Default_Ignorable_Code_Point=DI Deprecated=Dep Diacritic=Dia Emoji Emoji_Component=EComp Emoji_Modifier=EMod
  Emoji_Modifier_Base=EBase Emoji_Presentation=EPres Extended_Pictographic=ExtPict Extender=Ext Grapheme_Base=Gr_Base
  Grapheme_Extend=Gr_Ext Hex_Digit=Hex IDS_Binary_Operator=IDSB IDS_Trinary_Operator=IDST ID_Continue=IDC ID_Start=IDS
  Ideographic=Ideo Join_Control=Join_C Logical_Order_Exception=LOE Lowercase=Lower Math Noncharacter_Code_Point=NChar
  Pattern_Syntax=Pat_Syn Pattern_White_Space=Pat_WS Quotation_Mark=QMark Radical Regional_Indicator=RI
  Sentence_Terminal=STerm Soft_Dotted=SD Terminal_Punctuation=Term Unified_Ideograph=UIdeo Uppercase=Upper
  Variation_Selector=VS White_Space=space XID_Continue=XIDC XID_Start=XIDS`.split(/\s+/);
const SCRIPTS = `
  Adlam=Adlm Ahom Anatolian_Hieroglyphs=Hluw Arabic=Arab Armenian=Armn Avestan=Avst Balinese=Bali Bamum=Bamu
  Bassa_Vah=Bass Batak=Batk Bengali=Beng Beria_Erfe=Berf Bhaiksuki=Bhks Bopomofo=Bopo Brahmi=Brah Braille=Brai
  Buginese=Bugi Buhid=Buhd Canadian_Aboriginal=Cans Carian=Cari Caucasian_Albanian=Aghb Chakma=Cakm Cham
  Cherokee=Cher Chorasmian=Chrs Common=Zyyy Coptic=Copt=Qaac Cuneiform=Xsux Cypriot=Cprt Cypro_Minoan=Cpmn
  Cyrillic=Cyrl Deseret=Dsrt Devanagari=Deva Dives_Akuru=Diak Dogra=Dogr Duployan=Dupl Egyptian_Hieroglyphs=Egyp
  Elbasan=Elba Elymaic=Elym Ethiopic=Ethi Garay=Gara Georgian=Geor Glagolitic=Glag Gothic=Goth Grantha=Gran
  Greek=Grek Gujarati=Gujr Gunjala_Gondi=Gong Gurmukhi=Guru Gurung_Khema=Gukh Han=Hani Hangul=Hang
  Hanifi_Rohingya=Rohg Hanunoo=Hano Hatran=Hatr Hebrew=Hebr Hiragana=Hira Imperial_Aramaic=Armi
  Inherited=Zinh=Qaai Inscriptional_Pahlavi=Phli Inscriptional_Parthian=Prti Javanese=Java Kaithi=Kthi
  Kannada=Knda Katakana=Kana Kawi Kayah_Li=Kali Kharoshthi=Khar Khitan_Small_Script=Kits Khmer=Khmr Khojki=Khoj
  Khudawadi=Sind Kirat_Rai=Krai Lao=Laoo Latin=Latn Lepcha=Lepc Limbu=Limb Linear_A=Lina Linear_B=Linb Lisu
  Lycian=Lyci Lydian=Lydi Mahajani=Mahj Makasar=Maka Malayalam=Mlym Mandaic=Mand Manichaean=Mani Marchen=Marc
  Masaram_Gondi=Gonm Medefaidrin=Medf Meetei_Mayek=Mtei Mende_Kikakui=Mend Meroitic_Cursive=Merc
  Meroitic_Hieroglyphs=Mero Miao=Plrd Modi Mongolian=Mong Mro=Mroo Multani=Mult Myanmar=Mymr Nabataean=Nbat
  Nag_Mundari=Nagm Nandinagari=Nand New_Tai_Lue=Talu Newa Nko=Nkoo Nushu=Nshu Nyiakeng_Puachue_Hmong=Hmnp
  Ogham=Ogam Ol_Chiki=Olck Ol_Onal=Onao Old_Hungarian=Hung Old_Italic=Ital Old_North_Arabian=Narb Old_Permic=Perm
  Old_Persian=Xpeo Old_Sogdian=Sogo Old_South_Arabian=Sarb Old_Turkic=Orkh Old_Uyghur=Ougr Oriya=Orya Osage=Osge
  Osmanya=Osma Pahawh_Hmong=Hmng Palmyrene=Palm Pau_Cin_Hau=Pauc Phags_Pa=Phag Phoenician=Phnx
  Psalter_Pahlavi=Phlp Rejang=Rjng Runic=Runr Samaritan=Samr Saurashtra=Saur Sharada=Shrd Shavian=Shaw
  Siddham=Sidd Sidetic=Sidt SignWriting=Sgnw Sinhala=Sinh Sogdian=Sogd Sora_Sompeng=Sora Soyombo=Soyo
  Sundanese=Sund Sunuwar=Sunu Syloti_Nagri=Sylo Syriac=Syrc Tagalog=Tglg Tagbanwa=Tagb Tai_Le=Tale Tai_Tham=Lana
  Tai_Viet=Tavt Tai_Yo=Tayo Takri=Takr Tamil=Taml Tangsa=Tnsa Tangut=Tang Telugu=Telu Thaana=Thaa Thai
  Tibetan=Tibt Tifinagh=Tfng Tirhuta=Tirh Todhri=Todr Tolong_Siki=Tols Toto Tulu_Tigalari=Tutg Ugaritic=Ugar
  Unknown=Zzzz Vai=Vaii Vithkuqi=Vith Wancho=Wcho Warang_Citi=Wara Yezidi=Yezi Yi=Yiii Zanabazar_Square=Zanb`.trim().split(/\s+/).filter((names) => supported(`sc=${names.split("=")[0]}`));

function supported(property) {
  try {
    return new RegExp(`\\p{${property}}`, "u") !== null;
  } catch {
    return false;
  }
}

/** For each code point, whether it has the property. */
function members(property) {
  const has = new Uint8Array(LAST + 1);
  const pattern = new RegExp(`^\\p{${property}}$`, "u");
  for (let c = 0; c <= LAST; c++) has[c] = pattern.test(String.fromCodePoint(c)) ? 1 : 0;
  return has;
}

/** The number of the property each code point has; `none` for none. */
function partition(properties, none) {
  const value = new Uint8Array(LAST + 1).fill(none);
  properties.forEach((property, number) => members(property).forEach((has, c) => has && (value[c] = number)));
  return value;
}

function varint(out, value) {
  for (; value >= 0x80; value >>>= 7) out.push((value & 0x7f) | 0x80);
  out.push(value);
}

/** [first code point, length, value], with what `merge` says of two values in turn. */
function runs(value) {
  const list = [];
  for (let c = 0; c <= LAST; c++) {
    const last = list.at(-1);
    if (last && last[2] === value[c]) last[1]++;
    else list.push([c, 1, value[c]]);
  }
  return list;
}

/** Upper and lower case in turn become one run of value 30. */
function alternating(list) {
  const out = [];
  for (const run of list) {
    const last = out.at(-1);
    const [, length, value] = run;
    if (length === 1 && value === 1 && last && last[1] === 1 && last[2] === 0) [last[1], last[2]] = [2, 30];
    else if (length === 1 && value === 0 && last && last[2] === 30 && last[1] % 2 === 0) last[1]++;
    else if (length === 1 && value === 1 && last && last[2] === 30 && last[1] % 2 === 1) last[1]++;
    else out.push([...run]);
  }
  return out;
}

/** Encoded runs. */
function encoded(list, encode, start = []) {
  const out = [...start];
  for (const run of list) encode(out, run);
  return out;
}

const category = partition(CATEGORIES.slice(0, SINGLE).map((names) => `gc=${names.split("=")[0]}`), SINGLE - 1);
const categoryRuns = encoded(alternating(runs(category)), (out, [, length, value]) => {
  if (length < 8) out.push(value | (length << 5));
  else {
    out.push(value);
    varint(out, length);
  }
});

const script = partition(SCRIPTS.map((names) => `sc=${names.split("=")[0]}`), SCRIPTS.length);
// Most runs are of one of two scripts, or of the script before the last.
const FREQUENT = ["Unknown", "Common"].map((name) => SCRIPTS.findIndex((names) => names.startsWith(`${name}=`)));
let [last, before] = [-1, -1];
const scriptRuns = encoded(
  runs(script),
  (out, [, length, value]) => {
    const kind = FREQUENT.includes(value) ? 2 + FREQUENT.indexOf(value) : value === before ? 1 : 0;
    out.push((kind << 6) | (length < 64 ? length : 0));
    if (kind === 0) out.push(value);
    if (length >= 64) varint(out, length);
    [last, before] = [value, last];
  },
  FREQUENT,
);

const extensions = Array.from({ length: LAST + 1 }, () => null);
SCRIPTS.forEach((names, number) =>
  members(`scx=${names.split("=")[0]}`).forEach((has, c) => has && (extensions[c] ??= []).push(number)),
);
const sets = [];
const extended = extensions.map((set, c) => {
  if (!set || (set.length === 1 && set[0] === script[c])) return 255;
  const key = set.join();
  if (!sets.includes(key)) sets.push(key);
  return sets.indexOf(key);
});
const extensionRuns = [];
let end = 0;
for (const [first, length, set] of runs(extended)) {
  if (set === 255) continue;
  varint(extensionRuns, first - end);
  varint(extensionRuns, length);
  extensionRuns.push(set);
  end = first + length;
}
const extensionSets = sets.flatMap((key) => [key.split(",").length, ...key.split(",").map(Number)]);

/**
 * A property as an earlier one (or none), the categories in which most of its code points are otherwise, and those of the others: whatever of
 * these takes the fewest bytes.
 */
const known = [];
function binary(property, number) {
  const has = members(property);
  const encode = (differs, mask) => {
    const out = [];
    let [wrong, at] = [0, 0];
    for (let c = 0; c <= LAST; c++) {
      if ((differs[c] ^ ((mask >>> category[c]) & 1)) !== wrong) {
        varint(out, c - at);
        [wrong, at] = [wrong ^ 1, c];
      }
    }
    return out;
  };
  let [base, mask, best] = [number, 0, undefined];
  [undefined, ...known].forEach((other, index) => {
    const differs = other ? has.map((bit, c) => bit ^ other[c]) : has;
    const count = Array.from({ length: SINGLE }, () => [0, 0]);
    for (let c = 0; c <= LAST; c++) count[category[c]][differs[c]]++;
    let others = count.reduce((mask, [no, yes], number) => (yes > no ? mask | (1 << number) : mask), 0);
    let shortest = encode(differs, others);
    // A property that is no near relative is not looked at any closer.
    for (let number = 0; number < SINGLE && (!best || shortest.length < best.length + 40); number++) {
      if (!count[number][0] || !count[number][1]) continue;
      const changes = encode(differs, others ^ (1 << number));
      if (changes.length < shortest.length) [others, shortest] = [others ^ (1 << number), changes];
    }
    if (!best || shortest.length < best.length) [base, mask, best] = [other ? index - 1 : number, others, shortest];
  });
  known.push(has);
  console.log(property, base === number ? "" : BINARY[base], best.length);
  return [base, mask & 255, (mask >>> 8) & 255, (mask >>> 16) & 255, mask >>> 24, best.length & 255, best.length >> 8, ...best];
}
const binaries = BINARY.flatMap((names, number) => binary(names.split("=")[0], number));

/** A spelling that is the first four letters of the name is left out. */
const shortened = (names) => {
  const [name, ...others] = names.split("=");
  return [name, ...others.map((other) => (other === name.slice(0, 4) ? "" : other))].join("=");
};
const text = (list) => [...Buffer.from(list.map(shortened).join(" ") + " ")];
const sections = [
  categoryRuns, scriptRuns, extensionRuns, extensionSets, binaries,
  text(CATEGORIES), text(BINARY), text(SCRIPTS),
];
const header = [];
let offset = 2 * (sections.length + 1);
for (const section of [...sections, []]) {
  header.push(offset & 255, offset >> 8);
  offset += section.length;
}
console.log(sections.map((section) => section.length), sets.length, SCRIPTS.length, process.versions.unicode, offset);
writeFileSync(new URL("../../core/src/regex/unicode.bin", import.meta.url), Buffer.from([...header, ...sections.flat()]));

// Of the first 512 code points and every 1021st: each property that it has, in the order of the identifiers (see unicode.rs).
let fingerprint = 0xcbf29ce484222325n;
const add = (value) => (fingerprint = BigInt.asUintN(64, (fingerprint ^ BigInt(value)) * 0x100000001b3n));
const spelled = (prefix, list) => list.map((names) => `${prefix}${names.split("=")[0]}`);
const all = [...spelled("gc=", CATEGORIES), ...spelled("", BINARY), ...spelled("sc=", SCRIPTS), ...spelled("scx=", SCRIPTS)];
all.forEach((property, number) => {
  const has = members(property);
  for (let c = 0; c <= LAST; c++) {
    if (has[c] && (c < 512 || c % 1021 === 0)) {
      add(number + 1);
      add(c);
    }
  }
});
const reader = new URL("../../core/src/regex/unicode.rs", import.meta.url);
const digits = fingerprint.toString(16).toUpperCase().padStart(16, "0").replace(/.{4}(?=.)/g, "$&_");
writeFileSync(reader, readFileSync(reader, "utf8").replace(/0x[0-9A-F_]+; \/\/ FINGERPRINT/, `0x${digits}; // FINGERPRINT`));
