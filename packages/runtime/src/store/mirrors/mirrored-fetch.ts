import { MAX_MIRRORS, type PublicKey } from '@svc/contracts';
import { storeAddress } from '@svc/contracts/store-address';
import { cleanLine } from '@svc/text';
import type { System } from '../../platform/system.ts';
import { createMirrorAnswers } from './mirror-answers.ts';
import { createMirrorFiles, MirrorError } from './mirror-files.ts';

const SECOND = 1_000;

/** How long a mirror that failed is not asked, in milliseconds; twice as long after each further failure, and an hour at most. */
const [LEFT_MS, MAX_LEFT_MS] = [30 * SECOND, 3_600 * SECOND];

/** Longest reason, in characters. */
const WHY = 300;

/** The requests whose answers must never become older: lists and heads that the store signed. */
const SIGNED = /^\/api\/(?:apps\/(?:revocations|[^/]+\/head)|revocations\/head)$/;

export type MirroredFetchDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  /** The `fetch` for the store, which follows no redirect. */
  fetch: typeof globalThis.fetch;
  /** Address of the store. */
  store: string;
  /** Addresses of its mirrors now, in the order in which they are asked. The settings of a company may change them. */
  mirrors(): readonly string[];
  /** The keys of the store that this client trusts, oldest first. Without one only the store is asked. */
  trusted(): readonly PublicKey[];
  /** A mirror that worked is left. @param why in one line */
  onLeft(mirror: string, why: string): void;
  /** A mirror that was left works again. */
  onBack(mirror: string): void;
};

/** A mirror of the store, and why it is not asked now: since when, in milliseconds since 1970. */
export type MirrorState = { address: string; left: { since: number; why: string } | null };

type Mirror = {
  address: string;
  files: ReturnType<typeof createMirrorFiles>;
  answers: ReturnType<typeof createMirrorAnswers>;
  /** Failures in a row. */
  failures: number;
  leftAt: number;
  /** Why it was left first, and when; null while it works. */
  left: MirrorState['left'];
};

/**
 * The canonical addresses of mirrors.
 * @throws TypeError for an address that is none of a store, and for more than ten
 */
export function mirrorAddresses(given: readonly string[]): string[] {
  if (given.length > MAX_MIRRORS) throw new TypeError(`A store has at most ${MAX_MIRRORS} mirrors.`);
  return given.map((one) => storeAddress(one).replace(/\/$/, ''));
}

/** Why a mirror is left, in one line. */
function whyOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof MirrorError) return cleanLine(message, WHY);
  // A `fetch` of Node has the reason in its cause.
  return cleanLine(`it does not answer (${cause instanceof Error ? cause.message : message})`, WHY);
}

/**
 * Creates the `fetch` for a store that has mirrors: the mirrors are asked first, in their order, and the store last. A mirror gets the path
 * of its files alone: no token, no id of the installation. One that is away, stale, older than what was seen before, or not what the store
 * signed, is left for a while.
 */
export function createMirroredFetch({
  system,
  fetch,
  store,
  trusted,
  mirrors,
  onLeft,
  onBack,
}: MirroredFetchDeps): { fetch: typeof globalThis.fetch; list(): MirrorState[] } {
  let known = new Map<string, Mirror>();

  function opened(address: string): Mirror {
    const files = createMirrorFiles({ system, fetch, store, trusted, address });
    return { address, files, answers: createMirrorAnswers(files), failures: 0, leftAt: 0, left: null };
  }

  /** The mirrors in force; what is known of one stays while it is one of them. */
  function all(): Mirror[] {
    const now = mirrorAddresses(mirrors()).map((address) => known.get(address) ?? opened(address));
    known = new Map(now.map((mirror) => [mirror.address, mirror]));
    return now;
  }

  /** The time of the newest content that a mirror or the store gave to this client. */
  let newest = Number.NEGATIVE_INFINITY;

  function leave(mirror: Mirror, error: unknown): void {
    mirror.failures += 1;
    mirror.leftAt = system.now();
    const why = whyOf(error);
    if (!mirror.left) onLeft(mirror.address, why);
    mirror.left = { since: mirror.left?.since ?? mirror.leftAt, why };
  }

  function works(mirror: Mirror): void {
    mirror.failures = 0;
    if (mirror.left) onBack(mirror.address);
    mirror.left = null;
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
      works(mirror);
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

  const mirrored: typeof globalThis.fetch = async (input, init = {}) => {
    const url = below(input, init);
    if (!url) return fetch(input, init);
    for (const mirror of all()) {
      const answer = isLeft(mirror) ? null : await askMirror(mirror, url, init);
      if (answer) return answer;
    }
    return askStore(input as string | URL, url.pathname, init);
  };
  return { fetch: mirrored, list: () => all().map(({ address, left }) => ({ address, left })) };
}
