import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { RevocationEntry, type RevocationHead, type RevocationSegment } from '@svc/contracts';
import { listHashOf } from '@svc/signing';
import { z } from 'zod';
import { parseAnswer } from '../network/read-answer.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { StoreReader } from '../store/store-reader.ts';

/** The most bytes of all segments of a list: half a million yanks. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The longest time for all segments, in milliseconds. */
const MAX_MS = 5 * 60_000;

/** The names of the segments of a list, and the texts of those that are not on the disk yet. */
export type Segments = { names: ReadonlySet<string>; fetched: ReadonlyMap<string, string> };

const Entries = z.array(RevocationEntry);

/** Replaces the segments of a store. */
export function keepSegments(database: DatabaseSync, store: string, { names, fetched }: Segments): void {
  const held = database.prepare('select sha256 from revocation_segments where store = ?').all(store);
  const remove = database.prepare('delete from revocation_segments where store = ? and sha256 = ?');
  for (const { sha256 } of held) if (!names.has(sha256 as string)) remove.run(store, sha256 as string);
  const add = database.prepare(
    'insert or replace into revocation_segments (store, sha256, entries) values (?, ?, ?)',
  );
  for (const [sha256, text] of fetched) add.run(store, sha256, text);
}

/** The text of a segment on the disk; null when there is none, or it is damaged. */
export function heldSegment(database: DatabaseSync, store: string, sha256: string): string | null {
  const row = database
    .prepare('select entries from revocation_segments where store = ? and sha256 = ?')
    .get(store, sha256);
  const text = (row?.entries ?? null) as string | null;
  const isWhole = text !== null && createHash('sha256').update(text).digest('hex') === sha256;
  return isWhole ? text : null;
}

/** @throws RuntimeError `not-verified` */
function entriesIn(text: string): RevocationEntry[] {
  try {
    return Entries.parse(parseAnswer(text));
  } catch (cause) {
    throw new RuntimeError('not-verified', 'A segment of the revocation list is not a list of entries.', {
      cause,
    });
  }
}

/** @throws RuntimeError `too-large` */
function requireBounded(segments: readonly RevocationSegment[]): void {
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  if (bytes > MAX_BYTES)
    throw new RuntimeError('too-large', `The revocation list has more than ${MAX_BYTES} bytes.`);
}

/**
 * Puts lists together from their segments, of which it fetches those that neither the caller nor an earlier attempt has.
 * @param held the text of a segment that the caller has; null for any other
 */
export function createSegments(
  held: (sha256: string) => string | null,
  reader: Pick<StoreReader, 'revocationSegment'>,
  system: Pick<System, 'now'>,
) {
  /** Those that were fetched for the last list, whether it was accepted or not. */
  let fetched = new Map<string, string>();

  async function textOf(segment: RevocationSegment, signal?: AbortSignal): Promise<string> {
    const { sha256 } = segment;
    const known = fetched.get(sha256) ?? held(sha256);
    if (known !== null) return known;
    const text = await reader.revocationSegment(segment, signal);
    fetched.set(sha256, text);
    return text;
  }

  /** The entries of a list, in any order, and its segments, of which no more than are in the list are in memory. */
  async function entriesOf({ segments, open }: RevocationHead, signal?: AbortSignal) {
    requireBounded(segments);
    const names = new Set(segments.map(({ sha256 }) => sha256));
    fetched = new Map([...fetched].filter(([sha256]) => names.has(sha256)));
    const start = system.now();
    const entries = [...open];
    for (const segment of segments) {
      if (Math.abs(system.now() - start) > MAX_MS) throw new RuntimeError('too-slow');
      for (const entry of entriesIn(await textOf(segment, signal))) entries.push(entry);
    }
    return { entries, segments: { names, fetched } };
  }

  return {
    /**
     * The entries and the segments of a list, whose head was verified.
     * @throws RuntimeError `not-verified` when they are not those of the whole list; `too-large`, `too-slow`, and as the reader
     */
    async of(head: RevocationHead, signal?: AbortSignal) {
      const found = await entriesOf(head, signal);
      if (listHashOf(found.entries) === head.list) return found;
      throw new RuntimeError(
        'not-verified',
        'The segments of the revocation list do not have the hash of the whole.',
      );
    },
    /** Frees what was fetched: the list is accepted, and the caller has its segments. */
    clear(): void {
      fetched = new Map();
    },
  };
}
