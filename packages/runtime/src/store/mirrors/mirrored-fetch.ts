import type { PublicKey } from '@svc/contracts';
import { storeAddress } from '@svc/contracts/store-address';
import { cleanLine } from '@svc/text';
import type { System } from '../../platform/system.ts';
import { createMirrorAnswers } from './mirror-answers.ts';
import { createMirrorFiles } from './mirror-files.ts';

const SECOND = 1_000;

/** How long a mirror that failed is not asked, in milliseconds; twice as long after each further failure, and an hour at most. */
const [LEFT_MS, MAX_LEFT_MS] = [30 * SECOND, 3_600 * SECOND];

/** Mirrors of a store at most. */
const MAX_MIRRORS = 10;

/** The requests whose answers must never become older: lists and heads that the store signed. */
const SIGNED = /^\/api\/(?:apps\/(?:revocations|[^/]+\/head)|revocations\/head)$/;

export type MirroredFetchDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  /** The `fetch` for the store, which follows no redirect. */
  fetch: typeof globalThis.fetch;
  /** Address of the store. */
  store: string;
  /** Addresses of its mirrors, in the order in which they are asked. */
  mirrors: readonly string[];
  /** The keys of the store that this client trusts, oldest first. Without one only the store is asked. */
  trusted(): readonly PublicKey[];
  /** A mirror that worked is left. @param why in one line */
  onLeft(mirror: string, why: string): void;
};

type Mirror = {
  address: string;
  files: ReturnType<typeof createMirrorFiles>;
  answers: ReturnType<typeof createMirrorAnswers>;
  /** Failures in a row. */
  failures: number;
  leftAt: number;
};

/** Why a mirror is left, in one line. */
const whyOf = (error: unknown): string =>
  cleanLine(error instanceof Error ? error.message : String(error), 300);

/**
 * Creates the `fetch` for a store that has mirrors: the mirrors are asked first, in their order, and the store last. A mirror gets the path
 * of its files alone: no token, no id of the installation. One that is away, stale, older than what was seen before, or not what the store
 * signed, is left for a while.
 * @throws TypeError for an address that is none of a store
 */
export function createMirroredFetch({
  system,
  fetch,
  store,
  trusted,
  mirrors,
  onLeft,
}: MirroredFetchDeps): typeof globalThis.fetch {
  if (mirrors.length > MAX_MIRRORS) throw new TypeError(`A store has at most ${MAX_MIRRORS} mirrors.`);
  const all = mirrors.map((given): Mirror => {
    const address = storeAddress(given).replace(/\/$/, '');
    const files = createMirrorFiles({ system, fetch, store, trusted, address });
    return { address, files, answers: createMirrorAnswers(files), failures: 0, leftAt: 0 };
  });
  /** The time of the newest content that a mirror or the store gave to this client. */
  let newest = Number.NEGATIVE_INFINITY;

  function leave(mirror: Mirror, error: unknown): void {
    mirror.failures += 1;
    mirror.leftAt = system.now();
    if (mirror.failures === 1) onLeft(mirror.address, whyOf(error));
  }

  function isLeft({ leftAt, failures }: Mirror): boolean {
    if (failures === 0) return false;
    const pause = Math.min(LEFT_MS * 2 ** (failures - 1), MAX_LEFT_MS);
    return Math.abs(system.now() - leftAt) < pause;
  }

  async function askMirror(mirror: Mirror, url: URL, init: RequestInit): Promise<Response | null> {
    const signal = init.signal ?? new AbortController().signal;
    try {
      const { index, readAt } = await mirror.files.index(newest, signal);
      const known = new Headers(init.headers).get('if-none-match');
      const answer = await mirror.answers.answer(index, { url, known }, signal);
      newest = Math.max(newest, readAt);
      mirror.failures = 0;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      leave(mirror, error);
      return null;
    }
  }

  async function askStore(url: string | URL, path: string, init: RequestInit): Promise<Response> {
    const askedAt = system.now();
    const response = await fetch(url, init);
    if ((response.ok || response.status === 304) && SIGNED.test(path)) newest = Math.max(newest, askedAt);
    return response;
  }

  /** The URL below the address of the store; null for a request that no mirror answers. */
  function below(
    input: Parameters<typeof globalThis.fetch>[0],
    { method = 'GET', body }: RequestInit,
  ): URL | null {
    if (input instanceof Request || method !== 'GET' || body || trusted().length === 0) return null;
    const text = String(input);
    return text.startsWith(`${store}/`) ? URL.parse(text.slice(store.length), 'http://mirror.invalid') : null;
  }

  return async (input, init = {}) => {
    const url = below(input, init);
    if (!url) return fetch(input, init);
    for (const mirror of all) {
      const answer = isLeft(mirror) ? null : await askMirror(mirror, url, init);
      if (answer) return answer;
    }
    return askStore(input as string | URL, url.pathname, init);
  };
}
