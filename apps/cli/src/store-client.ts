import {
  ErrorEnvelope,
  KeyId,
  LIMITS,
  type PublishResult,
  ROUTES,
  type Route,
  Sha256,
  Signature,
  Timestamp,
  type TokenScope,
} from '@svc/contracts';
import { type ArgumentsOf, apiRequest, type Endpoint, type ResponseOf } from '@svc/contracts/client';
import { originIn, type Release, type ReleaseSignature } from '@svc/signing';
import {
  answeredBefore,
  failed,
  isNotFound,
  NoAnswerError,
  StoreError,
  unreachable,
  usageError,
} from './failure.ts';
import { readBounded } from './io/read-bounded.ts';

/** What a store says of a version with its bundle: the facts that it signed, and the statement from which other store it comes, if any. */
export type Released = Release & ReleaseSignature & { origin: unknown };

/** Names one version of an app. */
export type VersionRef = { appId: string; version: string };

export type StoreClientOptions = {
  /** URL of the store, without a trailing slash. */
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  /** Developer token, sent only to `baseUrl`. */
  token?: string;
  /** Reads the token for a store that only members may read; called after a 401. Null when there is none. */
  readToken?: () => Promise<string | null>;
  /** Timeouts in milliseconds, for ordinary requests and for uploads and downloads. */
  timeoutMs?: number;
  transferTimeoutMs?: number;
};

/** A schema of the API contract. */
type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } };

/** RFC 9110 section 15.5.2. */
const UNAUTHORIZED = 401;

type Call = {
  /** A body that is not JSON, and its type. */
  body?: Uint8Array;
  type?: string;
  /** Uses the timeout for uploads and downloads. */
  transfer?: boolean;
  /** Sends the token, if there is one. */
  needsToken?: boolean;
  /** Called with the number of bytes passed to the network. */
  onSent?: ((bytes: number) => void) | undefined;
};

/** Options of a device sign-in: the name of the device, and limits for its token. */
export type SignInOptions = { client: string; scopes?: TokenScope[]; publisher?: string };

const TIMEOUT_MS = 30_000;
const TRANSFER_TIMEOUT_MS = 10 * 60_000;

/** Maximum bytes of a JSON response. The largest legitimate one is an app with a long README and many versions. */
const MAX_JSON = 16 * 1024 * 1024;

/** Requires the parameters of a path to be segments of it: URLs resolve `.` and `..`. */
function requireSegments([input]: readonly unknown[]): void {
  const { params = {} } = (input ?? {}) as { params?: Record<string, string> };
  for (const text of Object.values(params))
    if (['', '.', '..'].includes(text)) throw usageError(`"${text}" is not a valid app id or version.`);
}

/** Chunk size of an upload with progress. */
const CHUNK = 64 * 1024;

/** The body of a request: streamed in chunks when progress is shown. */
function bodyOf({ body, onSent }: Call): RequestInit {
  if (body === undefined) return {};
  if (!onSent) return { body: body as Uint8Array<ArrayBuffer> };
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(body.subarray(sent, sent + CHUNK));
      sent = Math.min(sent + CHUNK, body.length);
      onSent(sent);
      if (sent === body.length) controller.close();
    },
  });
  // The fetch standard requires `duplex` for a streamed body; not all Node types have it.
  return { body: stream, duplex: 'half' } as RequestInit;
}

const jsonBody = (value: unknown) => ({
  body: new TextEncoder().encode(JSON.stringify(value)),
  type: 'application/json',
});

/** The routes of the contract, as they are called. */
const ROUTE_OF = new Map<string, Route>(
  Object.values(ROUTES).map((route) => [`${route.method.toUpperCase()} ${route.path}`, route]),
);

const BUNDLE = 'GET /api/apps/:appId/versions/:version/bundle';

/** Client of the store API for developer tools. Every response is validated against the schema of the contract. */
export class StoreClient {
  readonly #options: StoreClientOptions;

  constructor(options: StoreClientOptions) {
    this.#options = options;
  }

  /** URL of the store, without a trailing slash. */
  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** Calls a route of the table. The token is sent to routes that require one, and to others after a 401. */
  call<Name extends Endpoint>(endpoint: Name, ...input: ArgumentsOf<Name>): Promise<ResponseOf<Name>> {
    return this.#json(endpoint, input);
  }

  /**
   * Uploads a bundle, and returns the result of the checks.
   * @param onSent called with the number of bytes passed to the network
   * @param confirm whether the version waits until a member of its publisher confirms it
   * @param attestation the attestation of its build, a Sigstore bundle
   */
  publish(
    bundle: Uint8Array,
    onSent?: (bytes: number) => void,
    { confirm = false, attestation }: { confirm?: boolean; attestation?: Uint8Array | undefined } = {},
  ): Promise<PublishResult> {
    const body = attestation ? Buffer.concat([attestation, bundle]) : bundle;
    const type = attestation ? 'application/octet-stream' : 'application/zip';
    const query = {
      ...(confirm && { confirm: '1' }),
      ...(attestation && { attestation: String(attestation.length) }),
    };
    return this.#json('POST /api/apps/publish', [{ query }], { body, type, transfer: true, onSent });
  }

  /** Revokes the token. It is revoked when the store answers with success, whatever else the answer says. */
  async revokeToken(): Promise<void> {
    const response = await this.#request('DELETE /api/developer/token', []);
    await response.body?.cancel();
  }

  /** The signed release of a published version, without its bundle. A yanked version fails with `yanked`. */
  async release(ref: VersionRef): Promise<Released> {
    const response = await this.#request(BUNDLE, [{ params: ref }]);
    await response.body?.cancel();
    return this.#releaseOf(ref, response.headers);
  }

  /** A published bundle and its signed release, not yet verified. */
  async download(
    ref: VersionRef,
    onRead?: (bytes: number, total: number) => void,
  ): Promise<{ bytes: Uint8Array; release: Released }> {
    const response = await this.#request(BUNDLE, [{ params: ref }], { transfer: true });
    const release = await this.#releaseIn(ref, response);
    const total = Number(response.headers.get('Content-Length') ?? 0);
    const bytes = await this.#read(response, LIMITS.bundle.bytes, (read) => onRead?.(read, total));
    return { bytes, release };
  }

  /** The attestation of the build of a published version; null without one, and from a store that has no attestations. */
  async attestation(ref: VersionRef): Promise<string | null> {
    const ask = this.#request('GET /api/apps/:appId/versions/:version/attestation', [{ params: ref }]);
    const response = await ask.catch((error: unknown) => {
      if (isNotFound(error)) return null;
      throw error;
    });
    return response && new TextDecoder().decode(await this.#read(response, LIMITS.attestation.bytes));
  }

  /** Ends a response without a signed release: its body, which may never end, would keep the process running. */
  async #releaseIn(ref: VersionRef, { headers, body }: Response): Promise<Released> {
    try {
      return this.#releaseOf(ref, headers);
    } catch (error) {
      await body?.cancel();
      throw error;
    }
  }

  #releaseOf(ref: VersionRef, headers: Headers): Released {
    const read = (name: string, schema: Schema<string>): string => {
      const parsed = schema.safeParse(headers.get(name));
      if (!parsed.success) throw this.#invalidResponse(`the header ${name} is missing or malformed`);
      return parsed.data;
    };
    return {
      ...ref,
      sha256: read('X-Svc-Sha256', Sha256),
      publishedAt: read('X-Svc-Published-At', Timestamp),
      signature: read('X-Svc-Signature', Signature),
      keyId: read('X-Svc-Key-Id', KeyId),
      origin: originIn(headers),
    };
  }

  /** Returns the validated response with all its fields, including unknown ones of a newer store. */
  async #json<Name extends Endpoint>(
    endpoint: Name,
    input: ArgumentsOf<Name>,
    call: Call = {},
  ): Promise<ResponseOf<Name>> {
    const response = await this.#request(endpoint, input, call);
    const success = ROUTE_OF.get(endpoint)?.success;
    if (!success || !('body' in success)) {
      await response.body?.cancel();
      return undefined as ResponseOf<Name>;
    }
    const value = await this.#parse(response);
    if (!success.body.safeParse(value).success) throw this.#invalidResponse('it does not match the API');
    return value as ResponseOf<Name>;
  }

  async #request<Name extends Endpoint>(
    endpoint: Name,
    input: ArgumentsOf<Name>,
    given: Call = {},
  ): Promise<Response> {
    requireSegments(input);
    const { method, path, json } = apiRequest(endpoint, ...input);
    const needsToken = ROUTE_OF.get(endpoint)?.auth !== 'none';
    const call = { ...given, ...(json !== undefined && jsonBody(json)), needsToken };
    const { baseUrl, fetch, timeoutMs = TIMEOUT_MS, transferTimeoutMs = TRANSFER_TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.timeout(call.transfer ? transferTimeoutMs : timeoutMs);
    const init = {
      method,
      headers: this.#headers(call),
      redirect: 'error',
      signal,
    } as const;
    const send = (more: Record<string, string> = {}) =>
      fetch(baseUrl + path, { ...init, headers: { ...init.headers, ...more }, ...bodyOf(call) }).catch(
        (error: unknown) => {
          throw unreachable(this.baseUrl, error);
        },
      );
    let response = await send();
    const token =
      response.status === UNAUTHORIZED && !('Authorization' in init.headers) ? await this.#readToken() : null;
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
      // The store requires a length, which a stream does not have.
      ...(call.onSent && call.body !== undefined && { 'Content-Length': String(call.body.length) }),
      ...(call.needsToken && token !== undefined && { Authorization: `Bearer ${token}` }),
    };
  }

  async #refusalOf(response: Response): Promise<Error> {
    const body = await this.#parse(response).catch(() => undefined);
    const envelope = ErrorEnvelope.safeParse(body);
    if (envelope.success) return new StoreError(envelope.data);
    const before = answeredBefore(this.baseUrl, response);
    if (before) return before;
    const { status } = response;
    return new NoAnswerError(this.#invalid(`HTTP ${status} without an API error`), { status });
  }

  async #parse(response: Response): Promise<unknown> {
    const bytes = await this.#read(response, MAX_JSON);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch (error) {
      throw new NoAnswerError(this.#invalid('it is not JSON'), { cause: error });
    }
  }

  async #read(response: Response, limit: number, onRead?: (bytes: number) => void): Promise<Uint8Array> {
    const bytes = await readBounded(response, limit, onRead).catch((error: unknown) => {
      throw unreachable(this.baseUrl, error);
    });
    if (bytes === null) throw this.#invalidResponse(`it is longer than ${limit} bytes`);
    return bytes;
  }

  #invalid(problem: string): string {
    return `${this.#options.baseUrl} sent an invalid response: ${problem}. Is the URL correct?`;
  }

  #invalidResponse(problem: string): Error {
    return failed(this.#invalid(problem));
  }
}
