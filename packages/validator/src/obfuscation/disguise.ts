import { extensionOf } from '../paths.ts';
import type { BundleFile } from '../targets.ts';
import { isFields, isList } from '../values.ts';
import { type Budget, MAX_PARSED } from './budget.ts';
import { FLAGGED, type Score, scoreOf } from './score.ts';
import { oddParts, type Range } from './screen.ts';
import { type Scripts, scriptsIn } from './scripts.ts';

/** Minimum number of bytes that a part uses of the budget: a million scripts of ten bytes cost more than one long script. */
const MIN_COST = 1_024;

/**
 * Returns the score of an obfuscated script in a file; undefined when there is none. Screens the bytes first and parses only
 * suspicious parts, in pieces, up to the first obfuscated one. Never throws; takes linear time, and memory
 * for one piece. When the budget is used up, a suspicious part counts as obfuscated: no real app has that many.
 */
export function disguiseOf({ name, bytes }: BundleFile, budget: Budget): Score | undefined {
  const scripts = scriptsIn(bytes, extensionOf(name));
  for (const range of scripts.ranges) {
    for (const part of oddParts(scripts.bytes, range)) {
      const score = scoreWithin(scripts, part, budget);
      if (score.points >= FLAGGED) return score;
    }
  }
  return undefined;
}

const UNREAD: Score = {
  points: FLAGGED,
  evidence: [
    {
      feature: 'unread',
      points: FLAGGED,
      says: `it looks suspicious, after more than ${MAX_PARSED / 1024 / 1024} MiB of script before it, which is all that is read closely`,
    },
  ],
};

function scoreWithin({ bytes, isXml }: Scripts, { start, end }: Range, budget: Budget): Score {
  const cost = Math.max(end - start, MIN_COST);
  if (budget.bytes < cost) return UNREAD;
  budget.bytes -= cost;
  const text = new TextDecoder().decode(bytes.subarray(start, end));
  return scoreOf(isXml ? plain(text) : text);
}

const REFERENCES: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** The text of an XML element without CDATA marks and character references. */
function plain(xml: string): string {
  return xml
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|apos|gt|lt|quot));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return REFERENCES[name] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    });
}

/** Whether a value is a score, which the rule passes from its check to its message. */
export const isScore = (value: unknown): value is Score => isFields(value) && isList(value.evidence);

/** Maximum number of reasons in a message. */
const MAX_REASONS = 3;

/** The strongest reasons for a score, in words. */
export const reasonsFor = ({ evidence }: Score): string =>
  evidence
    .slice(0, MAX_REASONS)
    .map(({ says }) => says)
    .join('; ');
