import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  appendEntries,
  createReplay,
  decodeEntries,
  EMPTY_EDGE,
  EMPTY_ROOT,
  noteKey,
  type OpenedCheckpoint,
  openCheckpoint,
  readEntry,
  rootOfEdge,
  sameBytes,
  TILE_WIDTH,
  tileOf,
  tilePath,
} from '@svc/log';
import { type Client, nameOf, type Ref } from './client.ts';

/** What was acknowledged is in the log within this time, in milliseconds. */
const LOGGED_MS = 35_000;
const LOOK_EVERY_MS = 200;

/** Follows the log of a store as a monitor does: from its tiles, each entry once, and never another history. */
export function createLogReader() {
  let edge = EMPTY_EDGE;
  const replay = createReplay();
  const published = new Set<string>();
  const twice: string[] = [];

  async function checkpointOf(on: Client): Promise<OpenedCheckpoint | null> {
    const found = await on.file('/checkpoint');
    const note = Buffer.from(found?.bytes ?? []).toString('utf8');
    const [origin = ''] = note.split('\n', 1);
    if (origin === '') return null;
    const keys = (await on.keys()).map(({ publicKeyPem }) => noteKey(origin, createPublicKey(publicKeyPem)));
    return openCheckpoint(note, origin, keys);
  }

  function add(bytes: Uint8Array): void {
    const entry = readEntry(bytes);
    replay.add(entry);
    if (entry?.kind !== 'published') return;
    // A version is signed again only with another key, after the first was lost.
    const name = `${nameOf(entry)} ${entry.keyId}`;
    if (published.has(name)) twice.push(`${name} is in the log twice`);
    published.add(name);
  }

  /** The entries of a bundle that were not read yet; null when it is missing or cut. */
  async function freshOf(on: Client, index: number, size: number): Promise<Uint8Array[] | null> {
    const tile = tileOf('entries', index, size);
    const found = tile && (await on.file(`/${tilePath(tile)}`));
    const entries = found && decodeEntries(found.bytes, tile.width);
    return entries?.slice(edge.size - index * TILE_WIDTH) ?? null;
  }

  /** Reads what is new. Returns its faults, in sentences; null when the log is not available. */
  async function read(on: Client): Promise<string[] | null> {
    const checkpoint = await checkpointOf(on);
    if (!checkpoint) return null;
    const { size, root } = checkpoint;
    if (size < edge.size) return [`the log has ${size} entries, and had ${edge.size}`];
    while (edge.size < size) {
      const index = Math.floor(edge.size / TILE_WIDTH);
      const fresh = await freshOf(on, index, size);
      if (!fresh) return [`the bundle ${index} of a log of ${size} entries is missing or cut`];
      for (const entry of fresh) add(entry);
      edge = appendEntries(edge, fresh).edge;
    }
    const isSame = sameBytes(rootOfEdge(edge) ?? EMPTY_ROOT, root);
    return isSame ? [] : [`the entries of the log do not lead to its checkpoint of ${size} entries`];
  }

  const missing = (refs: readonly Ref[], state: 'published' | 'yanked'): string[] =>
    refs
      .filter((ref) => replay.stateOf(ref) !== state)
      .map((ref) => `${nameOf(ref)} is ${state}, and ${replay.stateOf(ref) ?? 'not'} in the log`);

  /** Whether what was read is right: each act was possible, none is there twice. */
  const wrong = (): string[] => [
    ...replay.findings().first.map(({ index, message }) => `entry ${index} of the log: ${message}`),
    ...twice,
  ];

  return {
    /** Waits until the log has what was acknowledged. Returns its faults, in sentences. */
    async faults(
      on: Client,
      acknowledged: { published: readonly Ref[]; yanked: readonly Ref[] },
    ): Promise<string[]> {
      const deadline = performance.now() + LOGGED_MS;
      for (;;) {
        const faults = await read(on).catch(() => null);
        const lacks = [
          ...missing(acknowledged.published, 'published'),
          ...missing(acknowledged.yanked, 'yanked'),
        ];
        const isOver = performance.now() > deadline;
        if (faults && (isOver || (faults.length === 0 && lacks.length === 0)))
          return [...faults, ...lacks, ...wrong()];
        if (isOver) return ['there is no log to be had'];
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}
