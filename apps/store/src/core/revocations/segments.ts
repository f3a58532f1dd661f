import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { byCodeUnit, type RevocationEntry, type RevocationHead } from '@svc/contracts';
import { canonicalJson, inListOrder } from '@svc/signing';

/** How many entries the segments of each kind have on average, the oldest first. */
const ENTRIES = [4_096, 256, 16] as const;

/** A segment is at most as many times larger, and smaller, than on average. */
const SPREAD = 4;

/** A segment ends when it has so many bytes: half of what clients accept, which is more than any entry has beside it. */
const ENOUGH_BYTES = 512 * 1024;

/** An entry as canonical JSON, and the start of its hash as a number. */
type Hashed = { entry: RevocationEntry; json: Uint8Array; hash: number };

function hashed(entry: RevocationEntry): Hashed {
  const json = canonicalJson(entry);
  return { entry, json, hash: createHash('sha256').update(json).digest().readUInt32BE() };
}

/** Entries that are worked on before other requests have their turn: some milliseconds. */
const SLICE = 500;

/** Maps a long list, a slice at a time: a list of 50,000 yanks must not delay what else the store does. */
async function inSlices<From, To>(all: readonly From[], of: (one: From) => To): Promise<To[]> {
  const done: To[] = [];
  for (let start = 0; start < all.length; start += SLICE) {
    if (start > 0) await nextTurn();
    for (const one of all.slice(start, start + SLICE)) done.push(of(one));
  }
  return done;
}

/** The canonical JSON of some entries (RFC 8785): that of an array is that of its items, between commas. */
const arrayOf = (entries: readonly Hashed[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...entries.flatMap(({ json }, n) => (n === 0 ? [json] : [Buffer.from(','), json])),
    Buffer.from(']'),
  ]);

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
    bytes += one.json.byteLength;
    if (!isEnd(one, { entries: index + 1 - start, bytes }, average)) continue;
    segments.push(all.slice(start, index + 1));
    [start, bytes] = [index + 1, 0];
  }
  return { segments, rest: all.slice(start) };
}

/** The bytes of each segment of a list by their hash, in order, the entries that are in none, and the hash of the whole list. */
export type CutList = { segments: ReadonlyMap<string, Uint8Array>; open: RevocationEntry[]; hash: string };

/** The hash of a whole list, as `entriesHashOf` has it. */
async function hashOf(all: readonly Hashed[]): Promise<string> {
  const hash = createHash('sha256').update('[');
  const inOrder = all.toSorted((a, b) => inListOrder(a.entry, b.entry));
  let separator = '';
  await inSlices(inOrder, ({ json }) => {
    hash.update(separator).update(json);
    separator = ',';
  });
  return hash.update(']').digest('hex');
}

/**
 * Cuts the entries of a list into segments. Where one ends depends on the entries in it alone, so that every process cuts alike, a new
 * entry changes only the end, and one that is removed only the segments next to it. Large segments are followed by smaller ones,
 * which keeps both their number and the entries after them small. Other work goes on meanwhile.
 */
export async function cutList(entries: readonly RevocationEntry[]): Promise<CutList> {
  const all = await inSlices(entries.toSorted(inTimeOrder), hashed);
  const segments = new Map<string, Uint8Array>();
  let rest: readonly Hashed[] = all;
  for (const average of ENTRIES) {
    const found = cut(rest, average);
    rest = found.rest;
    for (const segment of found.segments) {
      const bytes = arrayOf(segment);
      segments.set(createHash('sha256').update(bytes).digest('hex'), bytes);
      await nextTurn();
    }
  }
  return { segments, open: rest.map(({ entry }) => entry), hash: await hashOf(all) };
}

/** The parts of a head that name them. */
export const partsOf = ({
  segments,
  open,
  hash,
}: CutList): Pick<RevocationHead, 'segments' | 'open' | 'list'> => ({
  list: hash,
  segments: [...segments].map(([sha256, bytes]) => ({ sha256, bytes: bytes.byteLength })),
  open,
});
