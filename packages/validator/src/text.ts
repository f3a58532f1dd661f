/** Longest piece of a value that a message repeats, in UTF-16 code units. */
const LONGEST_ECHO = 60;

/** Characters that can hide, reorder or break text when it is shown: control, format, filler, lone halves. */
const TREACHEROUS = /["\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Anything a person can see. Spaces, controls, fillers and marks without a letter leave a name looking empty. */
const VISIBLE = /[^\s\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The bytes of a bundle are anybody's, so a message repeats a value short, quoted and with nothing hidden in it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return showText(value);
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

function showText(text: string): string {
  const cut = text.length > LONGEST_ECHO ? `${text.slice(0, LONGEST_ECHO)}…` : text;
  return `"${cut.replace(TREACHEROUS, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A string somebody can read, at most `max` UTF-16 code units long. */
export function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max && VISIBLE.test(value);
}

/** Says of a required text what is the matter: gone, of another type, blank or too long. */
export function textFault(field: string, value: unknown, max: number): string {
  if (value === undefined) return `${field} is missing: write 1 to ${max} characters.`;
  if (typeof value !== 'string') return `${field} must be a string, not ${show(value)}.`;
  if (value.length > max) return `${field} has ${value.length} characters: shorten it to ${max} or fewer.`;
  return `${field} is blank: write 1 to ${max} characters that can be seen.`;
}

const MARKS_AND_INVISIBLE = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const ASCII_ONLY = /^[\x20-\x7e]*$/;

/** Cyrillic, Greek and Armenian letters that pass for Latin ones and that no Unicode normal form folds. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аα',
    b: 'вьβ',
    c: 'сςᴄ',
    d: 'ԁ',
    e: 'еε',
    g: 'ɡց',
    h: 'һн',
    i: 'іιı',
    j: 'ј',
    k: 'кκ',
    l: 'ӏⅼ',
    m: 'мμ',
    n: 'ոη',
    o: 'оοօ',
    p: 'рρ',
    q: 'ԛ',
    s: 'ѕꜱ',
    t: 'тτ',
    u: 'υսᴜ',
    v: 'ѵνᴠ',
    w: 'ԝωᴡ',
    x: 'хχ',
    y: 'уүγ',
    z: 'ᴢ',
  }).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

/**
 * The form under which names are compared: letter case, width, accents, invisible characters and common lookalikes
 * are gone, since each of them lets a reserved name be read without being written.
 */
export function foldName(name: string): string {
  if (ASCII_ONLY.test(name)) return name.toLowerCase();
  const plain = name.normalize('NFKD').replace(MARKS_AND_INVISIBLE, '').toLowerCase();
  return Array.from(plain, (character) => LOOKALIKES.get(character) ?? character).join('');
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Whether `word` stands in `text` with no letter or digit touching it; both folded. */
export function containsWord(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(0, at).at(-1) ?? '';
    const after = text.charAt(at + word.length);
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return true;
  }
  return false;
}
