import confusables from 'unhomoglyph/data.json' with { type: 'json' };

/** Reserved names for which look-alikes are generated. */
export const RESERVED = ['svc', 'svc store', 'paypal', 'microsoft', 'github', 'openai', 'acme bank'] as const;

/** A deterministic pseudorandom generator (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** First code points of the alphabet in other styles: small letters, then capitals. */
const STYLES_SMALL = [
  0xff41, 0x24d0, 0x249c, 0x1d41a, 0x1d482, 0x1d4b6, 0x1d4ea, 0x1d51e, 0x1d552, 0x1d5ba, 0x1d68a,
];
const STYLES_LARGE = [0xff21, 0x24b6, 0x1f110, 0x1f130, 0x1f150, 0x1f170, 0x1d400, 0x1d56c, 0x1d5d4, 0x1f1e6];

const BY_LETTER = Map.groupBy(Object.entries(confusables), ([, prototype]) => prototype.toLowerCase());

/** All look-alikes of a letter: UTS 39 in both cases, and every style. */
function looksOf(letter: string): string[] {
  const n = letter.charCodeAt(0) - 0x61;
  const listed = (BY_LETTER.get(letter === 'm' ? 'rn' : letter) ?? []).map(([source]) => source);
  const styled = [...STYLES_SMALL, ...STYLES_LARGE].map((from) => String.fromCodePoint(from + n));
  return [letter, letter.toUpperCase(), ...listed, ...styled.filter((look) => /\P{Cn}/u.test(look))];
}

const HIDDEN = ['\u200b', '\u200c', '\u200d', '\u2060', '\u00ad', '\ufeff', '\u034f', '\u{e0041}'];
const MARKS = ['\u0301', '\u0307', '\u0336', '\u0323', '\u20dd'];
const GAPS = [' ', '.', '-', '_', ' - ', '\u00a0', '\u2003', '·', '•', '\u2800', '/', '~'];

/**
 * Generates look-alikes of reserved names: letters replaced by look-alikes, with hidden characters, accents, spaces and punctuation
 * between them, sometimes reversed, alone or with other words. None contains the plain name.
 */
export function* lookAlikes(count: number, seed = 1): Generator<{ name: string; of: string }> {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  for (let generated = 0; generated < count; ) {
    const of = pick(RESERVED);
    const gap = random() < 0.25 ? pick(GAPS) : '';
    const letters = [...of].map((letter) => {
      if (letter === ' ') return pick(['', ' ', '-', '\u00a0']);
      const look = random() < 0.6 ? pick(looksOf(letter)) : pick([letter, letter.toUpperCase()]);
      const mark = random() < 0.1 ? pick(MARKS) : '';
      return look + mark + (random() < 0.1 ? pick(HIDDEN) : '');
    });
    const plain = letters.join(gap);
    const arranged = random() < 0.05 ? `\u202e${[...plain].reverse().join('')}\u202c` : plain;
    const name = pick(['', '', 'Tools by ', 'My ']) + arranged + pick(['', '', ' Tools', ' (official)']);
    if (name.toLowerCase().includes(of)) continue;
    generated += 1;
    yield { name, of };
  }
}
