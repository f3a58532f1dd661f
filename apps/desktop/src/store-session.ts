import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevicePollAnswer, DeviceStart, ErrorEnvelope } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { guarded } from '@svc/contracts/guarded';
import type { System } from '@svc/runtime';
import type { Keyring } from '@svc/runtime/keyring';
import { type ClientSecrets, withinTime } from '@svc/runtime/parts';
import { ANSWERS, jsonOf } from '@svc/runtime/read-answer';
import type { z } from 'zod';
import { invalid } from './http/exchange.ts';

/** The name of the token among the client's secrets. */
const SECRET = 'store-token';

/** The shape of a token of a device sign-in; any other is neither saved nor sent. */
const DEVICE_TOKEN = /^svcd_[0-9A-Za-z]{35}$/;

/** Limits for the values of the store, in seconds. */
const INTERVAL = { min: 1, max: 60 };
const MAX_EXPIRY_S = 30 * 60;

/** Added to the interval after each `slow_down` (RFC 8628 section 3.5), in milliseconds. */
const SLOWER_MS = 5_000;

type SessionOptions = {
  store: string;
  fetch: typeof fetch;
  system: Pick<System, 'now' | 'sleep'>;
  /** Name of this program on the page of the store. */
  client: string;
  /** A token of the environment, which takes precedence. */
  given(): string | null;
  /** The token that `svc login` saved for this store; null without one. */
  saved(): Promise<string | null>;
  openPage(address: string): Promise<boolean>;
  /** The session has begun or ended. */
  changed(): void;
};

/** The token of `svc login`: in the keyring, or in a file of the user. Nothing of it is kept, and a fault means that there is none. */
export function loginToken(
  {
    env,
    home,
    keyring,
  }: { env: Readonly<Record<string, string | undefined>>; home: string; keyring: Keyring },
  store: string,
): () => Promise<string | null> {
  const folder = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config');
  return async () => {
    try {
      const { stores } = JSON.parse(readFileSync(join(folder, 'svc', 'credentials.json'), 'utf8'));
      const entry = stores[store];
      const token: unknown = entry?.keyring === true ? await keyring.get(store) : entry?.token;
      return typeof token === 'string' && DEVICE_TOKEN.test(token) ? token : null;
    } catch {
      return null;
    }
  };
}

/** The page of a sign-in, if it is one of the store: the desktop opens no other. */
function pageOf(store: string, { verifyUrl, userCode }: DeviceStart): string {
  const page = URL.parse(verifyUrl);
  if (page?.origin !== new URL(store).origin)
    throw invalid('The store names a sign-in page that is not its own.');
  page.searchParams.set('code', userCode);
  return page.href;
}

type Pending = { view: { userCode: string; page: string }; stop: AbortController };

/** Opens the session of a desktop at its store. */
export function createStoreSession(options: SessionOptions) {
  const { store, system, given, saved, changed } = options;
  let secrets: ClientSecrets | null = null;
  let pending: Pending | null = null;
  let fault: string | null = null;

  const own = async (): Promise<string | null> => (await secrets?.read(SECRET).catch(() => null)) ?? null;

  /** Asks the store within the bounds of such an answer. @throws the error of the store; any other where it does not answer like one */
  function ask<T>(path: string, body: unknown, schema: z.ZodType<T>, stop: AbortSignal): Promise<T> {
    const { maxBytes, ms } = ANSWERS.deviceSignIn;
    return withinTime(system, ms, stop, async (signal) => {
      const answer = await options.fetch(store + path, {
        ...{ method: 'POST', body: JSON.stringify(body), redirect: 'error', signal },
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      });
      if (!answer.ok) throw await jsonOf(answer, maxBytes, ErrorEnvelope);
      return jsonOf(answer, maxBytes, schema);
    });
  }

  /** One poll: the token, or how much slower to poll. A store that does not answer is asked again. */
  async function poll(
    deviceCode: string,
    stop: AbortSignal,
  ): Promise<{ token: string } | { slowerMs: number }> {
    const { path } = apiRequest('POST /api/developer/device/poll', { json: { deviceCode } });
    try {
      const answer = await ask(path, { deviceCode }, DevicePollAnswer, stop);
      return 'token' in answer ? answer : { slowerMs: 0 };
    } catch (error) {
      const { code } = error as Partial<ErrorEnvelope>;
      if (code === 'access_denied' || code === 'expired') throw error;
      return { slowerMs: SLOWER_MS };
    }
  }

  async function wait({ deviceCode, interval, expiresIn }: DeviceStart, { stop }: Pending): Promise<void> {
    const until = system.now() + Math.min(expiresIn, MAX_EXPIRY_S) * 1_000;
    let pauseMs = Math.min(INTERVAL.max, Math.max(INTERVAL.min, interval)) * 1_000;
    while (!stop.signal.aborted && system.now() < until) {
      await system.sleep(pauseMs, stop.signal);
      const outcome = await poll(deviceCode, stop.signal);
      if ('slowerMs' in outcome) pauseMs += outcome.slowerMs;
      else {
        if (!DEVICE_TOKEN.test(outcome.token)) throw new Error('The store sent no valid token.');
        await secrets?.write(SECRET, outcome.token);
        return;
      }
    }
  }

  /** Waits in the background, and says how it ended. */
  function follow(start: DeviceStart, current: Pending): void {
    const end = (why: string | null) => {
      if (pending !== current) return;
      pending = null;
      fault = why;
      changed();
    };
    wait(start, current).then(
      guarded(() => end(null)),
      guarded((error: unknown) =>
        end(
          (error as Partial<ErrorEnvelope>).code === 'access_denied'
            ? 'The sign-in was denied in the browser.'
            : 'The sign-in was not approved in time. Sign in again.',
        ),
      ),
    );
  }

  /** `by`: whose token is used: of the variable `SVC_TOKEN`, of this desktop, or of `svc login`. */
  async function show() {
    const by = given() ? 'environment' : (await own()) ? 'desktop' : (await saved()) ? 'login' : null;
    return { by, pending: pending?.view ?? null, fault } as const;
  }

  function cancel(): void {
    pending?.stop.abort();
    pending = null;
    fault = null;
  }

  return {
    /** The token for reading the store; null without one. */
    token: async (): Promise<string | null> => given() ?? (await own()) ?? (await saved()),
    show,
    cancel,
    /** Begins a device sign-in (RFC 8628) for a token that can only read, and opens its page. */
    async begin() {
      cancel();
      const json = { client: options.client, scopes: ['read' as const] };
      const { path } = apiRequest('POST /api/developer/device/start', { json });
      const stop = new AbortController();
      const start = await ask(path, json, DeviceStart, stop.signal).catch(refused);
      const page = pageOf(store, start);
      const current: Pending = { view: { userCode: start.userCode, page }, stop };
      pending = current;
      follow(start, current);
      await options.openPage(page);
      return show();
    },
    /** Revokes and forgets the token of this desktop. */
    async end() {
      cancel();
      const token = await own();
      await secrets?.write(SECRET, null);
      changed();
      if (token === null) return;
      const { method, path } = apiRequest('DELETE /api/developer/token');
      // A store that does not answer keeps a token that can only read, and that no one has any more.
      await options
        .fetch(store + path, { method, headers: { Authorization: `Bearer ${token}` } })
        .then((answer) => answer.body?.cancel())
        .catch(() => undefined);
    },
    /** From now on tokens are kept in these secrets. */
    keepIn(opened: ClientSecrets) {
      secrets = opened;
    },
  };
}

/** How this desktop is signed in to a store that only members may read. */
export type StoreSession = ReturnType<typeof createStoreSession>;

/** Says why a sign-in could not begin. */
function refused(error: unknown): never {
  const envelope = ErrorEnvelope.safeParse(error);
  throw invalid(envelope.success ? envelope.data.message : 'The store cannot be reached.');
}
