import { LIMITS, type MirrorAnswer } from '@svc/contracts';
import type { Fetch } from '../../../adapters/sign-in/provider-client.ts';

/** An answer of the store, with its whole body. */
export type StoreAnswer = { status: number; headers: Headers; bytes: Buffer };

/** The headers that a mirror keeps: what clients read. */
const KEPT = /^(?:content-type|etag|x-svc-(?:sha256|signature|key-id|published-at|origin))$/;

const MAX_JSON = 16 * 1024 * 1024;
const [JSON_MS, BUNDLE_MS] = [60_000, 600_000];

/** Attempts, and the milliseconds before the second; four times as many before the third. */
const [ATTEMPTS, PAUSE_MS] = [3, 1_000];

/** Longest pause that the store may ask for, in seconds. */
const MAX_RETRY_AFTER = 60;

/** RFC 9110 section 15.5.2. */
const UNAUTHORIZED = 401;

const isBusy = (status: number): boolean => status === 429 || status >= 500;

// The runtime takes a tenth of a second to load.
const reader = () => import('@svc/runtime/read-answer');

export type ReadDeps = {
  /** A `fetch` for stores, which follows no redirect. */
  fetch: Fetch;
  /** Where the store answers, without a trailing slash. */
  from: string;
  sleep(ms: number): Promise<void>;
};

/** Reads the answers of a store to a client without a token. */
export function createStoreAnswers({ fetch, from, sleep }: ReadDeps) {
  async function once(
    path: string,
    { method, isBundle, known }: { method: 'GET' | 'HEAD'; isBundle: boolean; known: string | null },
  ): Promise<StoreAnswer> {
    const { bytesOf } = await reader();
    const signal = AbortSignal.timeout(isBundle ? BUNDLE_MS : JSON_MS);
    const headers: Record<string, string> = known === null ? {} : { 'If-None-Match': known };
    const response = await fetch(from + path, { method, headers, signal, redirect: 'error' });
    const bytes = await bytesOf(response, isBundle ? LIMITS.bundle.bytes : MAX_JSON);
    return { status: response.status, headers: response.headers, bytes };
  }

  /**
   * @param known the ETag of an answer that the caller has: the store may say with 304 that it is the current one
   * @throws for a store that asks to sign in, and the last error of the network, or one for a store that stays busy
   */
  async function ask(
    path: string,
    { method = 'GET' as 'GET' | 'HEAD', isBundle = false, known = null as string | null } = {},
  ): Promise<StoreAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await once(path, { method, isBundle, known }).catch((error: unknown) => {
        if (attempt === ATTEMPTS) throw error;
        return null;
      });
      if (answer?.status === UNAUTHORIZED)
        throw new Error('only members may read this store: a mirror is public');
      if (answer && !isBusy(answer.status)) return answer;
      if (attempt === ATTEMPTS) throw new Error(`${path}: HTTP ${answer?.status}`);
      const asked = Number(answer?.headers.get('retry-after'));
      const pause = PAUSE_MS * 4 ** (attempt - 1);
      await sleep(asked > 0 ? Math.min(asked, MAX_RETRY_AFTER) * 1_000 : pause);
    }
  }

  return {
    ask,
    /** The body of a successful answer. @throws for any other status */
    async need(path: string): Promise<Buffer> {
      const { status, bytes } = await ask(path);
      if (status === 200) return bytes;
      throw new Error(`${path}: HTTP ${status}`);
    },
  };
}

export type StoreAnswers = ReturnType<typeof createStoreAnswers>;

/** The headers of an answer that a mirror keeps. */
export const keptHeaders = (headers: Headers): MirrorAnswer['headers'] =>
  Object.fromEntries([...headers].filter(([name]) => KEPT.test(name)));
