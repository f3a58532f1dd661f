import type { InteropFiles } from '@svc/testkit';

/** A name, its skeleton, and whether it contains the reserved name `svc`. Written by hand. */
export type SkeletonVector = { text: string; skeleton: string; svc: boolean };

const SKELETONS: readonly SkeletonVector[] = [
  { text: 'svc', skeleton: 'svc', svc: true },
  { text: 'SVC Tools', skeleton: 'svctools', svc: true },
  { text: 'S v c', skeleton: 'svc', svc: true },
  { text: 'S.V.C', skeleton: 'svc', svc: true },
  { text: '🆂🆅🅲', skeleton: 'svc', svc: true },
  { text: 'ⓢⓥⓒ', skeleton: 'svc', svc: true },
  { text: '🇸🇻🇨', skeleton: 'svc', svc: true },
  { text: '𝐬𝓿𝕔', skeleton: 'svc', svc: true },
  { text: 'ＳＶＣ', skeleton: 'svc', svc: true },
  { text: 'ѕνс', skeleton: 'svc', svc: true },
  { text: 'ꮪᏙⅽ', skeleton: 'svc', svc: true },
  { text: 'ŝv̇ç', skeleton: 'svc', svc: true },
  { text: 's\u200bv\u00adc', skeleton: 'svc', svc: true },
  { text: '\u2067cvs', skeleton: 'cvs', svc: true },
  { text: 'svc|tools', skeleton: 'svcltools', svc: true },
  { text: 'svc’s notes', skeleton: 'svcsnotes', svc: true },
  { text: 'Mass VC tools', skeleton: 'rnassvctools', svc: false },
  { text: 'Das VCard', skeleton: 'dasvcard', svc: false },
  { text: "Founder's VC guide", skeleton: 'foundersvcgulde', svc: false },
  { text: 'svcs', skeleton: 'svcs', svc: false },
  { text: 'MICROSOFT', skeleton: 'rnlcrosoft', svc: false },
  { text: 'Miсrоsoft', skeleton: 'rnlcrosoft', svc: false },
  { text: 'Тест', skeleton: 'tect', svc: false },
  { text: 'тест', skeleton: 'tect', svc: false },
  { text: 'नमस्ते', skeleton: 'नमस्ते', svc: false },
  { text: '微信', skeleton: '微信', svc: false },
  { text: '🎮', skeleton: '🎮', svc: false },
];

/** A text, and its first hidden character as a single line and as a text with lines; null without one. */
export type HiddenVector = { text: string; line: string | null; lines: string | null };

const both = (text: string, hidden: string | null): HiddenVector => ({ text, line: hidden, lines: hidden });

const HIDDEN: readonly HiddenVector[] = [
  both('Notes', null),
  both('é e\u0301 日本 שלום العربية', null),
  { text: 'a\nb', line: 'U+000A', lines: null },
  { text: 'a\tb', line: 'U+0009', lines: null },
  both('a\rb', 'U+000D'),
  both('a\u0000', 'U+0000'),
  both('\u001b[2J', 'U+001B'),
  both('\u009b31m', 'U+009B'),
  both('a\u202egpj.exe', 'U+202E'),
  both('\u2067cvs', 'U+2067'),
  both('a\u200f', 'U+200F'),
  both('a\u061c', 'U+061C'),
  both('a\u200bb', 'U+200B'),
  both('a\u00adb', 'U+00AD'),
  both('\ufeffa', 'U+FEFF'),
  both('a\u2028b', 'U+2028'),
  both('a\u2029b', 'U+2029'),
  both('a\u3164b', 'U+3164'),
  both('a\u034fb', 'U+034F'),
  both('\ue000', 'U+E000'),
  both('😀\u{e0041}', 'U+E0041'),
  both('\ufff9a', 'U+FFF9'),
  both('ad\u200dmin', 'U+200D'),
  both('1\u200d2', 'U+200D'),
  both('a\ufe0f', 'U+FE0F'),
  both('❤\ufe0f\ufe0f', 'U+FE0F'),
  both('🏴\u{e0069}\u{e0067}\u{e006e}\u{e007f}', 'U+E0069'),
  both('👨\u200d👩\u200d👧', null),
  both('🏳\ufe0f\u200d🌈', null),
  both('1\ufe0f\u20e3', null),
  both('🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}', null),
  both('می\u200cخواهم', null),
  both('به\u200cفره\u200c', null),
  both('क्\u200dष', null),
  both('র\u200d্য', null),
  both('葛\u{e0100}城', null),
];

/** One vector per line, in ASCII, so that hidden characters are visible. */
const linesOf = (vectors: readonly object[]): Uint8Array => {
  const ascii = (json: string) =>
    json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return new TextEncoder().encode(vectors.map((vector) => `${ascii(JSON.stringify(vector))}\n`).join(''));
};

/** The files of `interop/text`. */
export const textFiles = (): InteropFiles =>
  new Map([
    ['skeletons.jsonl', linesOf(SKELETONS)],
    ['hidden.jsonl', linesOf(HIDDEN)],
  ]);
