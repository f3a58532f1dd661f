import { createHash } from 'node:crypto';
import { LIMITS, MIRROR_FILE, MirrorIndex, type PublicKey } from '@svc/contracts';
import { HEAD_STALE_MS, type MirrorKind, mirrorPath, readMirrorRoot, verifyMirror } from '@svc/signing';
import type { z } from 'zod';
import { ANSWERS, bytesOf, parseAnswer } from '../../network/read-answer.ts';
import type { System } from '../../platform/system.ts';
import { type TimeBounds, withinLimit } from '../../platform/within-time.ts';

/** Why a mirror is left for the next one: it is away, or is not what the store signed. */
export class MirrorError extends Error {}

const SECOND = 1_000;
const BOUNDS: TimeBounds = { ms: 5 * SECOND, maxMs: 15 * SECOND };
const BUNDLE_BOUNDS: TimeBounds = { ms: 15 * SECOND, maxMs: 600 * SECOND };

/** Bytes of `mirror.json` at most: a thousand keys have half a megabyte. */
const MAX_ROOT = 1024 * 1024;

/** Bytes of JSON of a mirror in memory: parts of the catalogue, answers about apps, tiles. */
const MAX_MEMORY = 32 * 1024 * 1024;

/** How long `mirror.json` is taken as current, in milliseconds: the requests of one install ask for it once. */
const FRESH_MS = 10 * SECOND;

/** How far ahead of the clock a mirror may be signed, in milliseconds. */
const AHEAD_MS = 3_600 * SECOND;

/** Files in memory, of which the oldest go first. */
function createMemory() {
  const files = new Map<string, Buffer<ArrayBuffer>>();
  let size = 0;
  return {
    get: (name: string) => files.get(name),
    add(name: string, bytes: Buffer<ArrayBuffer>): void {
      if (files.has(name)) return;
      files.set(name, bytes);
      size += bytes.length;
      for (const [oldest, { length }] of files) {
        if (size <= MAX_MEMORY) return;
        files.delete(oldest);
        size -= length;
      }
    },
  };
}

export type MirrorFilesDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  fetch: typeof globalThis.fetch;
  /** Address of the mirror, without a trailing slash. */
  address: string;
  /** Address of the store. */
  store: string;
  /** The keys of the store that this client trusts, oldest first. */
  trusted(): readonly PublicKey[];
};

/** The files of one mirror. What it returns is what the store signed: each file is named by its hash, and the index is signed. */
export function createMirrorFiles({ system, fetch, address, store, trusted }: MirrorFilesDeps) {
  const memory = createMemory();
  let current: { index: MirrorIndex; readAt: number; askedAt: number; tag: string | null } | null = null;

  /** Fetches a file. @returns null for a 304 */
  async function get(path: string, maxBytes: number, signal: AbortSignal, known: string | null = null) {
    const bounds = maxBytes > ANSWERS.store.maxBytes ? BUNDLE_BOUNDS : BOUNDS;
    return withinLimit(system, bounds, signal, async (live, progress) => {
      const headers = { Accept: '*/*', ...(known !== null && { 'If-None-Match': known }) };
      const response = await fetch(`${address}/${path}`, {
        ...{ headers, redirect: 'error', credentials: 'omit', signal: live },
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        if (response.status === 304 && known !== null) return null;
        throw new MirrorError(`${path}: HTTP ${response.status}`);
      }
      const tooLarge = () => new MirrorError(`${path} has more than ${maxBytes} bytes`);
      const bytes = await bytesOf(response, maxBytes, tooLarge, () => progress.extend());
      return { bytes, tag: response.headers.get('etag') };
    });
  }

  /** @throws MirrorError for other bytes than those of the hash */
  async function file(sha256: string, kind: MirrorKind, signal: AbortSignal): Promise<Buffer<ArrayBuffer>> {
    const known = memory.get(sha256);
    if (known) return known;
    const path = mirrorPath(sha256, kind);
    const got = await get(path, kind === 'zip' ? LIMITS.bundle.bytes : ANSWERS.store.maxBytes, signal);
    if (!got || createHash('sha256').update(got.bytes).digest('hex') !== sha256)
      throw new MirrorError(`${path} has other contents than its name says`);
    if (kind !== 'zip') memory.add(sha256, got.bytes);
    return got.bytes;
  }

  /** A JSON file in the form of a schema. */
  async function json<T>(sha256: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const bytes = await file(sha256, 'json', signal);
    try {
      return schema.parse(parseAnswer(bytes.toString('utf8')));
    } catch (cause) {
      throw new MirrorError(`${mirrorPath(sha256, 'json')} is not in the form of a mirror`, { cause });
    }
  }

  function requireFresh(readAt: number, notBefore: number): void {
    const age = system.now() - readAt;
    if (age > HEAD_STALE_MS) throw new MirrorError('it is stale');
    if (age < -AHEAD_MS) throw new MirrorError('it is signed in the future');
    if (readAt < notBefore) throw new MirrorError('it is older than what this client has seen');
  }

  async function fetchIndex(notBefore: number, signal: AbortSignal) {
    const askedAt = system.now();
    const got = await get(MIRROR_FILE, MAX_ROOT, signal, current?.tag ?? null);
    if (!got && current) return { ...current, askedAt };
    const root = got && readMirrorRoot(got.bytes.toString('utf8'));
    if (!got || !root) throw new MirrorError(`${MIRROR_FILE} is malformed`);
    const readAt = Date.parse(root.index.signedAt);
    // What is too old is not worth the next request.
    requireFresh(readAt, notBefore);
    const bytes = await file(root.index.sha256, 'json', signal);
    if (!verifyMirror(bytes, root, trusted()))
      throw new MirrorError('its index is not signed by the current key of the store');
    const index = await json(root.index.sha256, MirrorIndex, signal);
    if (index.store !== store) throw new MirrorError('it is a mirror of another store');
    return { index, readAt, askedAt, tag: got.tag };
  }

  /**
   * The verified index.
   * @param notBefore the time of the newest content that this client has seen
   * @throws MirrorError for one that is older, stale, or not signed by the current key of the store; errors of the network
   */
  async function index(
    notBefore: number,
    signal: AbortSignal,
  ): Promise<{ index: MirrorIndex; readAt: number }> {
    if (!current || Math.abs(system.now() - current.askedAt) > FRESH_MS)
      current = await fetchIndex(notBefore, signal);
    requireFresh(current.readAt, notBefore);
    return current;
  }

  return { index, file, json };
}

export type MirrorFiles = ReturnType<typeof createMirrorFiles>;
