/** Names as obfuscators make them: `_0x` and a hash. People and minifiers don't write these. */
const HEX_NAME = /(?<![\w$])_0x[0-9a-f]{4,}/g;
const HEX_NAMES = 10;

/** The unpacking loop of an obfuscated string table: sums of `parseInt(name(0x1f)) / 0x1` until a checksum fits … */
const CHECKSUM_TERM = /parseInt\([\w$]+\([^()]{1,60}\)\)\s*\/\s*\(?-?(?:0x)?[0-9a-f]+/g;
const CHECKSUM_TERMS = 3;
/** … while the table turns by one. Alone it is a queue; with the sums it is a disguise. */
const ROTATION = /push['"]?\]?\s*\(\s*[\w$]+(?:\.shift|\[['"]shift['"]\])\s*\(\s*\)\s*\)/;

/** Printable ASCII written as escapes. Minifiers shorten strings; only a disguise makes `a` four characters long. */
const DISGUISED_CHARACTER = /\\x[2-7][0-9a-f]|\\u00[2-7][0-9a-f]/gi;
const DISGUISED_CHARACTERS = 100;
const DISGUISED_SHARE = 0.25;

/** Packed or encoded source that is evaluated as it unfolds. */
const EVALUATED =
  /\beval\s*\(\s*function\s*\(\s*p\s*,\s*a\s*,\s*c\s*,\s*k\s*,|\b(?:eval|Function)\s*\(\s*(?:window\.)?(?:atob|unescape|decodeURIComponent|String\.fromCharCode)\s*\(/;

/** JavaScript in six characters (`[]()!+`): long runs of them occur in nothing a person or a minifier writes. */
const SIX_CHARACTERS = new Set([...'[]()!+'].map((character) => character.charCodeAt(0)));
const SIX_CHARACTERS_RUN = 400;

/**
 * Whether JavaScript looks disguised rather than minified. Reads the text, not the syntax: it counts traces that
 * obfuscators leave and minifiers never do, each far beyond what chance gives. Linear in the length of the text.
 */
export function looksObfuscated(source: string): boolean {
  return (
    hasHexNames(source) ||
    hasSixCharacterRun(source) ||
    evaluatesText(source) ||
    unpacksTable(source) ||
    hidesCharacters(source)
  );
}

// Each trace holds a plain text that most sources lack. Looking for that first is many times faster than the pattern.

const hasHexNames = (source: string): boolean =>
  source.includes('_0x') && countUpTo(source, HEX_NAME, HEX_NAMES) >= HEX_NAMES;

const evaluatesText = (source: string): boolean =>
  (source.includes('eval') || source.includes('Function')) && EVALUATED.test(source);

const unpacksTable = (source: string): boolean =>
  source.includes('parseInt') &&
  countUpTo(source, CHECKSUM_TERM, CHECKSUM_TERMS) >= CHECKSUM_TERMS &&
  ROTATION.test(source);

function hidesCharacters(source: string): boolean {
  const enough = Math.max(DISGUISED_CHARACTERS, Math.floor((DISGUISED_SHARE * source.length) / 4));
  return source.includes('\\') && countUpTo(source, DISGUISED_CHARACTER, enough) >= enough;
}

/**
 * Whether there is a run long enough. Any such run covers a multiple of its least length, so only the runs around those
 * places are walked: a pattern would have to look at every character of every ordinary source.
 */
function hasSixCharacterRun(source: string): boolean {
  const inRun = (at: number) => SIX_CHARACTERS.has(source.charCodeAt(at));
  for (let at = 0; at < source.length; at += SIX_CHARACTERS_RUN) {
    let start = at;
    while (inRun(start - 1)) start -= 1;
    let end = at;
    while (inRun(end)) end += 1;
    if (end - start >= SIX_CHARACTERS_RUN) return true;
    // The text up to here is known: the next probe can stand a whole run behind it.
    at = Math.max(at, end);
  }
  return false;
}

function countUpTo(source: string, pattern: RegExp, limit: number): number {
  let count = 0;
  for (const _ of source.matchAll(pattern)) {
    count += 1;
    if (count >= limit) break;
  }
  return count;
}
