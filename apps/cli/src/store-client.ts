import {
  AppDetail,
  CatalogPage,
  Conversation,
  DevicePollAnswer,
  DeviceStart,
  ErrorEnvelope,
  KeyId,
  LIMITS,
  PublicKey,
  PublicKeys,
  PublishResult,
  Sha256,
  Signature,
  StoreFacts,
  Timestamp,
  type TokenScope,
  VersionStatus,
  WhoAmI,
} from '@svc/contracts';
import type { Release, ReleaseSignature } from '@svc/signing';
import { failed, NoAnswerError, StoreError, usageError } from './failure.ts';
import { readBounded } from './io/read-bounded.ts';

/** Names one version of an app. */
export type VersionRef = { appId: string; version: string };

/** What the client is made from. */
export type StoreClientOptions = {
  /** Address of the store, without a trailing slash. */
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  /** Developer token, for what needs one. It goes to `baseUrl` and nowhere else. */
  token?: string;
  /** The token for a store that members alone may read, asked for once the store has said so; null when there is none. */
  readToken?: () => Promise<string | null>;
  /** Longest wait for an answer in milliseconds; an upload or a download may take longer. */
  timeoutMs?: number;
  transferTimeoutMs?: number;
};

/** Anything that can tell whether a value from outside is what it should be: the schemas of the contract. */
type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } };

/** RFC 9110 section 15.5.2: it wants to know who asks. */
const UNAUTHORIZED = 401;

type Call = {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: Uint8Array | string;
  type?: string;
  /** A bundle travels, which may take longer. */
  transfer?: boolean;
  /** The token goes with it. */
  asDeveloper?: boolean;
  /** Told how much of the body was handed to the network. */
  onSent?: ((bytes: number) => void) | undefined;
};

/** What a device asks to be let in with: the name it shows to the person, and limits to what its token may do. */
export type SignInWish = { client: string; scopes?: TokenScope[]; publisher?: string };

/** A call that sends JSON. */
const posting = (value: unknown) =>
  ({ method: 'POST', body: JSON.stringify(value), type: 'application/json' }) as const;

const TIMEOUT_MS = 30_000;
const TRANSFER_TIMEOUT_MS = 10 * 60_000;

/** Most bytes of JSON that are read. The longest honest answer is an app with a long README and many versions. */
const MAX_JSON = 16 * 1024 * 1024;

/** What a proxy answers when it gets no answer (RFC 9110 sections 15.6.3 to 15.6.5). */
const GATEWAY_FAULTS: ReadonlySet<number> = new Set([502, 503, 504]);

/** What a system error says, in words. Those of TLS have names of their own and are shown as they are. */
const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start it, or name another store with --store URL or SVC_STORE.',
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the name of the host cannot be looked up just now.',
  ECONNRESET: 'the connection broke.',
  EPIPE: 'the connection broke.',
  UND_ERR_SOCKET: 'the connection broke.',
};

/** One step of a path. A dot or two would be read as a step upwards, not as a name. */
function step(text: string): string {
  if (['', '.', '..'].includes(text)) throw usageError(`"${text}" can be neither an app id nor a version.`);
  return encodeURIComponent(text);
}

/** What to tell the user of a request that got no answer. */
function networkFault(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'it took too long to answer.';
  const cause = error instanceof Error ? error.cause : undefined;
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  // Redirects are refused, not followed: the token must not travel to where an answer points.
  if (message === 'unexpected redirect') return 'it answers with a redirect. Give the address it points to.';
  return NETWORK_FAULTS[code ?? ''] ?? `${message ?? 'the request failed'}${code ? ` (${code})` : ''}.`;
}

/** Bytes that go to the network at once when the sending is watched. */
const PIECE = 64 * 1024;

/** The body of a call: in pieces where progress is shown. */
function bodyOf({ body, onSent }: Call): RequestInit {
  if (body === undefined) return {};
  if (!onSent || typeof body === 'string') return { body: body as Uint8Array<ArrayBuffer> | string };
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(body.subarray(sent, sent + PIECE));
      sent = Math.min(sent + PIECE, body.length);
      onSent(sent);
      if (sent === body.length) controller.close();
    },
  });
  // What the fetch standard wants of a streamed body; the types of Node do not know it everywhere.
  return { body: stream, duplex: 'half' } as RequestInit;
}

/** The store as a developer's tools see it. Every answer is checked against the schema of the contract. */
export class StoreClient {
  readonly #options: StoreClientOptions;

  constructor(options: StoreClientOptions) {
    this.#options = options;
  }

  /**
   * Uploads a bundle. Waits for the verdict.
   * @param onSent told how many bytes were handed to the network
   */
  publish(bundle: Uint8Array, onSent?: (bytes: number) => void): Promise<PublishResult> {
    const call = { method: 'POST', body: bundle, type: 'application/zip', transfer: true, onSent } as const;
    return this.#json('/api/apps/publish', PublishResult, { ...call, asDeveloper: true });
  }

  /** Where the store is, without a slash at the end. */
  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** What the store lists. */
  facts(): Promise<StoreFacts> {
    return this.#json('/api/store', StoreFacts);
  }

  /** How an uploaded version fares. */
  status(ref: VersionRef): Promise<VersionStatus> {
    return this.#json(`${this.#versionPath(ref)}/status`, VersionStatus);
  }

  /** What moderators and the publisher said about a version: for its members alone. */
  conversation(ref: VersionRef): Promise<Conversation> {
    return this.#json(`${this.#versionPath(ref)}/messages`, Conversation);
  }

  /** One page of the published apps. */
  catalog(query: Readonly<Record<string, string>>): Promise<CatalogPage> {
    return this.#json(`/api/apps/catalog?${new URLSearchParams(query)}`, CatalogPage);
  }

  /** A published app. */
  detail(appId: string): Promise<AppDetail> {
    return this.#json(`/api/apps/${step(appId)}`, AppDetail);
  }

  /** Withdraws a published version. */
  yank(ref: VersionRef, reason: string): Promise<VersionStatus> {
    const call = { ...posting({ reason }), asDeveloper: true };
    return this.#json(`${this.#versionPath(ref)}/yank`, VersionStatus, call);
  }

  /** Begins a device sign-in. */
  startSignIn(wish: SignInWish): Promise<DeviceStart> {
    return this.#json('/api/developer/device/start', DeviceStart, posting(wish));
  }

  /** Asks how a device sign-in fares. The answer that holds the token comes once. */
  pollSignIn(deviceCode: string): Promise<DevicePollAnswer> {
    return this.#json('/api/developer/device/poll', DevicePollAnswer, posting({ deviceCode }));
  }

  /** Whom the store takes this client for. */
  whoAmI(): Promise<WhoAmI> {
    return this.#json('/api/developer/whoami', WhoAmI, { asDeveloper: true });
  }

  /** Makes the token worthless, at once and for ever. */
  async revokeToken(): Promise<void> {
    const response = await this.#request('/api/developer/token', { method: 'DELETE', asDeveloper: true });
    await response.body?.cancel();
  }

  /** The key that the store signs with. */
  publicKey(): Promise<PublicKey> {
    return this.#json('/api/apps/public-key', PublicKey);
  }

  /** Every key that the store has signed with, oldest first. */
  publicKeys(): Promise<PublicKeys> {
    return this.#json('/api/apps/public-keys', PublicKeys);
  }

  /** What the store claims of a published version, without its bytes. A withdrawn one is refused as `yanked`. */
  async release(ref: VersionRef): Promise<Release & ReleaseSignature> {
    const response = await this.#request(`${this.#versionPath(ref)}/bundle`);
    await response.body?.cancel();
    return this.#releaseOf(ref, response.headers);
  }

  /** A published bundle, and what the store claims of it. */
  async download(
    ref: VersionRef,
    onRead?: (bytes: number, total: number) => void,
  ): Promise<{ bytes: Uint8Array; release: Release & ReleaseSignature }> {
    const response = await this.#request(`${this.#versionPath(ref)}/bundle`, { transfer: true });
    const release = this.#releaseOf(ref, response.headers);
    const total = Number(response.headers.get('Content-Length') ?? 0);
    const bytes = await this.#read(response, LIMITS.bundle.bytes, (read) => onRead?.(read, total));
    return { bytes, release };
  }

  #versionPath({ appId, version }: VersionRef): string {
    return `/api/apps/${step(appId)}/versions/${step(version)}`;
  }

  #releaseOf(ref: VersionRef, headers: Headers): Release & ReleaseSignature {
    const read = (name: string, schema: Schema<string>): string => {
      const parsed = schema.safeParse(headers.get(name));
      if (!parsed.success) throw this.#misbehaved(`the header ${name} is missing or malformed`);
      return parsed.data;
    };
    return {
      ...ref,
      sha256: read('X-Svc-Sha256', Sha256),
      publishedAt: read('X-Svc-Published-At', Timestamp),
      signature: read('X-Svc-Signature', Signature),
      keyId: read('X-Svc-Key-Id', KeyId),
    };
  }

  /** Returns the value as the store sent it: checked, and not stripped of what a newer store may say besides. */
  async #json<T>(path: string, schema: Schema<T>, call: Call = {}): Promise<T> {
    const response = await this.#request(path, call);
    const value = await this.#parse(response);
    if (!schema.safeParse(value).success) throw this.#misbehaved('it is not in the form of the API');
    return value as T;
  }

  async #request(path: string, call: Call = {}): Promise<Response> {
    const { baseUrl, fetch, timeoutMs = TIMEOUT_MS, transferTimeoutMs = TRANSFER_TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.timeout(call.transfer ? transferTimeoutMs : timeoutMs);
    const init = {
      method: call.method ?? 'GET',
      headers: this.#headers(call),
      redirect: 'error',
      signal,
    } as const;
    const send = (more: Record<string, string> = {}) =>
      fetch(baseUrl + path, { ...init, headers: { ...init.headers, ...more }, ...bodyOf(call) }).catch(
        (error: unknown) => {
          throw this.#unreachable(error);
        },
      );
    let response = await send();
    const token = response.status === UNAUTHORIZED && !call.asDeveloper ? await this.#readToken() : null;
    if (token !== null) {
      await response.body?.cancel();
      response = await send({ Authorization: `Bearer ${token}` });
    }
    if (!response.ok) throw await this.#refusalOf(response);
    return response;
  }

  async #readToken(): Promise<string | null> {
    const { token, readToken } = this.#options;
    return token ?? (await readToken?.()) ?? null;
  }

  #headers(call: Call): Record<string, string> {
    const { token } = this.#options;
    return {
      Accept: 'application/json, application/zip',
      ...(call.type !== undefined && { 'Content-Type': call.type }),
      // A stream has no length of its own, and the store wants one.
      ...(call.onSent && call.body !== undefined && { 'Content-Length': String(call.body.length) }),
      ...(call.asDeveloper && token !== undefined && { Authorization: `Bearer ${token}` }),
    };
  }

  async #refusalOf(response: Response): Promise<Error> {
    const body = await this.#parse(response).catch(() => undefined);
    const envelope = ErrorEnvelope.safeParse(body);
    if (envelope.success) return new StoreError(envelope.data);
    // A proxy speaks for a store that it cannot reach.
    if (GATEWAY_FAULTS.has(response.status)) return this.#unreachable(new Error(`HTTP ${response.status}`));
    return this.#misbehaved(`HTTP ${response.status} without an error of the API`);
  }

  async #parse(response: Response): Promise<unknown> {
    const bytes = await this.#read(response, MAX_JSON);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch (error) {
      throw this.#misbehaved('it is not JSON', error);
    }
  }

  async #read(response: Response, limit: number, onRead?: (bytes: number) => void): Promise<Uint8Array> {
    const bytes = await readBounded(response, limit, onRead).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    if (bytes === null) throw this.#misbehaved(`it is longer than ${limit} bytes`);
    return bytes;
  }

  #unreachable(error: unknown): Error {
    return new NoAnswerError(`Cannot reach the store at ${this.#options.baseUrl}: ${networkFault(error)}`, {
      cause: error,
    });
  }

  #misbehaved(what: string, cause?: unknown): Error {
    const message = `${this.#options.baseUrl} answers as no store does: ${what}. Is the address right?`;
    return failed(message, { cause });
  }
}
