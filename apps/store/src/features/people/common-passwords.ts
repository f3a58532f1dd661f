/** Common substitutes for letters ("leet"). */
const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const withLetters = (text: string): string => Array.from(text, (sign) => LETTERS[sign] ?? sign).join('');

const LETTER = /\p{L}/u;

/** A text without the digits and signs before and after its letters. */
function withoutEdges(text: string): string {
  const signs = [...text];
  const first = signs.findIndex((sign) => LETTER.test(sign));
  return first < 0 ? '' : signs.slice(first, signs.findLastIndex((sign) => LETTER.test(sign)) + 1).join('');
}

/** The repeated part of a text that consists of one part two or more times; otherwise the text. */
function unrepeated(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const part = text.slice(0, length);
    if (text.length % length === 0 && part.repeat(text.length / length) === text) return part;
  }
  return text;
}

let loading: Promise<ReadonlySet<string>> | null = null;

/** Loads the list of common passwords when the first password is set: most processes never need it. */
function common(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((word) => word.toLowerCase())),
  );
  return loading;
}

/**
 * Whether a password is one of some 49,000 common ones, also with digits and signs around it, with digits for letters, or
 * repeated.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const known = await common();
  const lower = password.trim().toLowerCase();
  const forms = [lower, withLetters(lower)].flatMap((form) => [form, withoutEdges(form)]);
  const bare = withoutEdges(lower);
  const all = [...forms, withLetters(bare)].flatMap((form) => [form, unrepeated(form)]);
  return all.some((form) => known.has(form));
}
