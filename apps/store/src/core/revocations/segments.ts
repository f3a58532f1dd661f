import { createHash } from 'node:crypto';
import { byCodeUnit, type RevocationEntry, type RevocationHead } from '@svc/contracts';
import { canonicalJson, inListOrder } from '@svc/signing';

/** How many entries the segments of each kind have on average, the oldest first. */
const ENTRIES = [4_096, 256, 16] as const;

/** A segment is at most as many times larger, and smaller, than on average. */
const SPREAD = 4;

/** A segment ends when it has so many bytes: half of what clients accept, which is more than any entry has beside it. */
const ENOUGH_BYTES = 512 * 1024;

/** An entry, and the start of its hash as a number. */
type Hashed = { entry: RevocationEntry; bytes: number; hash: number };

function hashed(entry: RevocationEntry): Hashed {
  const json = canonicalJson(entry);
  return { entry, bytes: json.byteLength, hash: createHash('sha256').update(json).digest().readUInt32BE() };
}

/** Oldest first: what is yanked next comes last. */
const inTimeOrder = (a: RevocationEntry, b: RevocationEntry): number =>
  byCodeUnit(a.at, b.at) || inListOrder(a, b);

/** Whether a segment ends with its last entry. */
function isEnd(
  last: Hashed,
  { entries, bytes }: { entries: number; bytes: number },
  average: number,
): boolean {
  if (bytes >= ENOUGH_BYTES || entries >= average * SPREAD) return true;
  return entries >= average / SPREAD && last.hash % average === 0;
}

/** Cuts off the segments of one kind. @returns them, and the entries after the last one */
function cut(all: readonly Hashed[], average: number): { segments: Hashed[][]; rest: readonly Hashed[] } {
  const segments: Hashed[][] = [];
  let [start, bytes] = [0, 0];
  for (const [index, one] of all.entries()) {
    bytes += one.bytes;
    if (!isEnd(one, { entries: index + 1 - start, bytes }, average)) continue;
    segments.push(all.slice(start, index + 1));
    [start, bytes] = [index + 1, 0];
  }
  return { segments, rest: all.slice(start) };
}

/** The bytes of each segment of a list by their hash, in order, and the entries that are in none. */
export type CutList = { segments: ReadonlyMap<string, Uint8Array>; open: RevocationEntry[] };

/**
 * Cuts the entries of a list into segments. Where one ends depends on the entries in it alone, so that every process cuts alike, a new
 * entry changes only the end, and one that is removed only the segments next to it. Large segments are followed by smaller ones,
 * which keeps both their number and the entries after them small.
 */
export function cutList(entries: readonly RevocationEntry[]): CutList {
  const segments = new Map<string, Uint8Array>();
  let rest: readonly Hashed[] = entries.toSorted(inTimeOrder).map(hashed);
  for (const average of ENTRIES) {
    const found = cut(rest, average);
    rest = found.rest;
    for (const segment of found.segments) {
      const bytes = canonicalJson(segment.map(({ entry }) => entry));
      segments.set(createHash('sha256').update(bytes).digest('hex'), bytes);
    }
  }
  return { segments, open: rest.map(({ entry }) => entry) };
}

/** The parts of a head that name them. */
export const partsOf = ({ segments, open }: CutList): Pick<RevocationHead, 'segments' | 'open'> => ({
  segments: [...segments].map(([sha256, bytes]) => ({ sha256, bytes: bytes.byteLength })),
  open,
});
