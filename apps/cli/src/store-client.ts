import {
  AppDetail,
  CatalogPage,
  Conversation,
  DevicePollAnswer,
  DeviceStart,
  Emergency,
  EmergencyPreview,
  ErrorEnvelope,
  KeyId,
  LIMITS,
  MyReports,
  type NewEmergency,
  type NewReport,
  PublicKey,
  PublicKeys,
  PublishResult,
  Report,
  Sha256,
  Signature,
  StoreFacts,
  Timestamp,
  type TokenScope,
  ToolRecord,
  VersionStatus,
  WhoAmI,
} from '@svc/contracts';
import { type ApiRequest, apiRequest, type QueryOf } from '@svc/contracts/client';
import type { Release, ReleaseSignature } from '@svc/signing';
import { failed, NoAnswerError, StoreError, usageError } from './failure.ts';
import { readBounded } from './io/read-bounded.ts';

/** Names one version of an app. */
export type VersionRef = { appId: string; version: string };

/** The query of the catalogue. */
type CatalogRequest = QueryOf<'GET /api/apps/catalog'>;

/** Options of a StoreClient. */
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
  /** Sends the token. */
  asDeveloper?: boolean;
  /** Called with the number of bytes passed to the network. */
  onSent?: ((bytes: number) => void) | undefined;
};

/** Options of a device sign-in: the name of the device, and limits for its token. */
export type SignInOptions = { client: string; scopes?: TokenScope[]; publisher?: string };

const TIMEOUT_MS = 30_000;
const TRANSFER_TIMEOUT_MS = 10 * 60_000;

/** Maximum bytes of a JSON response. The largest legitimate one is an app with a long README and many versions. */
const MAX_JSON = 16 * 1024 * 1024;

/** What a server before the store means by a status code, and what to do. The store itself answers errors as JSON. */
const BETWEEN: Readonly<Record<number, string>> = {
  403: 'It refuses the request: ask the operator of the store to let the API through its firewall or bot protection.',
  407: 'It is a proxy that needs a user name and a password: put them into HTTPS_PROXY.',
  413: 'The request is too large for it: the operator must raise its limit (nginx: client_max_body_size).',
  429: 'It limits the rate of requests: try again later.',
  502: 'It cannot reach the store: try again later.',
  503: 'It cannot reach the store: try again later.',
  504: 'The store did not answer it in time: try again later.',
  511: 'The network needs a sign-in: open a page in your browser first.',
};

/** The pause that a server asks for in seconds (RFC 9110 section 10.2.3), in milliseconds; 0 without one, and for a date. */
const pauseOf = ({ headers }: Response): number => (Number(headers.get('Retry-After')) || 0) * 1_000;

const UNTRUSTED =
  'its certificate is not from a known authority. If your organisation has its own, set NODE_EXTRA_CA_CERTS to the file with its certificate.';

/** System errors in words. TLS errors are shown with their own message. */
const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused. Start the store, or name another one with --store URL or SVC_STORE.',
  ENOTFOUND: 'host not found.',
  EAI_AGAIN: 'the DNS lookup failed temporarily.',
  ECONNRESET: 'the connection was closed.',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  EPIPE: 'the connection was closed.',
  UND_ERR_SOCKET: 'the connection was closed.',
};

/** Requires an app id or a version to be one segment of a path: URLs resolve `.` and `..`. */
function requireSegments<T extends Partial<VersionRef>>(params: T): { params: T } {
  for (const text of Object.values(params))
    if (['', '.', '..'].includes(text)) throw usageError(`"${text}" is not a valid app id or version.`);
  return { params };
}

/** Describes why a request failed without a response. */
function networkFault(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'the request timed out.';
  const cause = error instanceof Error ? error.cause : undefined;
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  // Redirects are not followed: the token must not be sent to another address.
  if (message === 'unexpected redirect')
    return 'it responds with a redirect. Use the URL that it redirects to.';
  return NETWORK_FAULTS[code ?? ''] ?? `${message ?? 'the request failed'}${code ? ` (${code})` : ''}.`;
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

/** A JSON body. */
const jsonBody = (value: unknown) => ({
  body: new TextEncoder().encode(JSON.stringify(value)),
  type: 'application/json',
});

const bundleOf = (ref: VersionRef): ApiRequest<unknown> =>
  apiRequest('GET /api/apps/:appId/versions/:version/bundle', requireSegments(ref));

/** Client of the store API for developer tools. Every response is validated against the schema of the contract. */
export class StoreClient {
  readonly #options: StoreClientOptions;

  constructor(options: StoreClientOptions) {
    this.#options = options;
  }

  /**
   * Uploads a bundle, and returns the result of the checks.
   * @param onSent called with the number of bytes passed to the network
   */
  publish(bundle: Uint8Array, onSent?: (bytes: number) => void): Promise<PublishResult> {
    const call = { body: bundle, type: 'application/zip', transfer: true, onSent, asDeveloper: true };
    return this.#json(apiRequest('POST /api/apps/publish'), PublishResult, call);
  }

  /** Records which tools the server of an uploaded version has, as `tools/list` returned them. */
  recordTools(ref: VersionRef, tools: readonly unknown[]): Promise<ToolRecord> {
    const request = apiRequest('PUT /api/apps/:appId/versions/:version/served-tools', {
      ...requireSegments(ref),
      json: { tools: [...tools] },
    });
    return this.#json(request, ToolRecord, { asDeveloper: true });
  }

  /** URL of the store, without a trailing slash. */
  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** Public facts about the store. */
  facts(): Promise<StoreFacts> {
    return this.#json(apiRequest('GET /api/store'), StoreFacts);
  }

  /** The status of an uploaded version. */
  status(ref: VersionRef): Promise<VersionStatus> {
    return this.#json(
      apiRequest('GET /api/apps/:appId/versions/:version/status', requireSegments(ref)),
      VersionStatus,
    );
  }

  /** The review conversation of a version; only members of its publisher may read it. */
  conversation(ref: VersionRef): Promise<Conversation> {
    return this.#json(
      apiRequest('GET /api/apps/:appId/versions/:version/messages', requireSegments(ref)),
      Conversation,
    );
  }

  /** One page of the published apps. */
  catalog(query: CatalogRequest): Promise<CatalogPage> {
    return this.#json(apiRequest('GET /api/apps/catalog', { query }), CatalogPage);
  }

  /** A published app. */
  detail(appId: string): Promise<AppDetail> {
    return this.#json(apiRequest('GET /api/apps/:appId', requireSegments({ appId })), AppDetail);
  }

  /** Yanks a published version. */
  yank(ref: VersionRef, reason: string): Promise<VersionStatus> {
    const request = apiRequest('POST /api/apps/:appId/versions/:version/yank', {
      ...requireSegments(ref),
      json: { reason },
    });
    return this.#json(request, VersionStatus, { asDeveloper: true });
  }

  /** Reports an app to the moderators. */
  report(appId: string, json: NewReport): Promise<Report> {
    const request = apiRequest('POST /api/apps/:appId/reports', { params: { appId }, json });
    return this.#json(request, Report, { asDeveloper: true });
  }

  /** The reports of the user. */
  myReports(): Promise<MyReports> {
    return this.#json(apiRequest('GET /api/people/me/reports'), MyReports, { asDeveloper: true });
  }

  /** What an emergency on a publisher or an app would reach. */
  previewEmergency(query: { publisher: string } | { appId: string }): Promise<EmergencyPreview> {
    const request = apiRequest('GET /api/admin/emergencies/preview', { query });
    return this.#json(request, EmergencyPreview, { asDeveloper: true });
  }

  /** Stops a publisher or an app. */
  startEmergency(json: NewEmergency): Promise<Emergency> {
    const request = apiRequest('POST /api/admin/emergencies', { json });
    return this.#json(request, Emergency, { asDeveloper: true });
  }

  /** Undoes an emergency. */
  undoEmergency(id: string, reason: string): Promise<Emergency> {
    const request = apiRequest('POST /api/admin/emergencies/:id/undo', { params: { id }, json: { reason } });
    return this.#json(request, Emergency, { asDeveloper: true });
  }

  /** Starts a device sign-in. */
  startSignIn(options: SignInOptions): Promise<DeviceStart> {
    return this.#json(apiRequest('POST /api/developer/device/start', { json: options }), DeviceStart);
  }

  /** Polls a device sign-in. The token is returned only once. */
  pollSignIn(deviceCode: string): Promise<DevicePollAnswer> {
    return this.#json(
      apiRequest('POST /api/developer/device/poll', { json: { deviceCode } }),
      DevicePollAnswer,
    );
  }

  /** The account and the scopes of the token. */
  whoAmI(): Promise<WhoAmI> {
    return this.#json(apiRequest('GET /api/developer/whoami'), WhoAmI, { asDeveloper: true });
  }

  /** Revokes the token. */
  async revokeToken(): Promise<void> {
    const response = await this.#request(apiRequest('DELETE /api/developer/token'), { asDeveloper: true });
    await response.body?.cancel();
  }

  /** The current signing key of the store. */
  publicKey(): Promise<PublicKey> {
    return this.#json(apiRequest('GET /api/apps/public-key'), PublicKey);
  }

  /** All signing keys of the store, oldest first. */
  publicKeys(): Promise<PublicKeys> {
    return this.#json(apiRequest('GET /api/apps/public-keys'), PublicKeys);
  }

  /** The signed release of a published version, without its bundle. A yanked version fails with `yanked`. */
  async release(ref: VersionRef): Promise<Release & ReleaseSignature> {
    const response = await this.#request(bundleOf(ref));
    await response.body?.cancel();
    return this.#releaseOf(ref, response.headers);
  }

  /** A published bundle and its signed release, not yet verified. */
  async download(
    ref: VersionRef,
    onRead?: (bytes: number, total: number) => void,
  ): Promise<{ bytes: Uint8Array; release: Release & ReleaseSignature }> {
    const response = await this.#request(bundleOf(ref), { transfer: true });
    const release = this.#releaseOf(ref, response.headers);
    const total = Number(response.headers.get('Content-Length') ?? 0);
    const bytes = await this.#read(response, LIMITS.bundle.bytes, (read) => onRead?.(read, total));
    return { bytes, release };
  }

  #releaseOf(ref: VersionRef, headers: Headers): Release & ReleaseSignature {
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
    };
  }

  /** Returns the validated response with all its fields, including unknown ones of a newer store. */
  async #json<T>(request: ApiRequest<T>, schema: Schema<T>, call: Call = {}): Promise<T> {
    const response = await this.#request(request, call);
    const value = await this.#parse(response);
    if (!schema.safeParse(value).success) throw this.#invalidResponse('it does not match the API');
    return value as T;
  }

  async #request({ method, path, json }: ApiRequest<unknown>, given: Call = {}): Promise<Response> {
    const call = json === undefined ? given : { ...given, ...jsonBody(json) };
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
      // The store requires a length, which a stream does not have.
      ...(call.onSent && call.body !== undefined && { 'Content-Length': String(call.body.length) }),
      ...(call.asDeveloper && token !== undefined && { Authorization: `Bearer ${token}` }),
    };
  }

  async #refusalOf(response: Response): Promise<Error> {
    const body = await this.#parse(response).catch(() => undefined);
    const envelope = ErrorEnvelope.safeParse(body);
    if (envelope.success) return new StoreError(envelope.data);
    const meaning = BETWEEN[response.status];
    if (meaning !== undefined) {
      const name = response.headers.get('Server');
      const message = `A server before the store at ${this.#options.baseUrl} answered HTTP ${response.status}${name ? ` (${name.slice(0, 60)})` : ''}. ${meaning}`;
      return new NoAnswerError(message, { retryAfterMs: pauseOf(response) });
    }
    return this.#invalidResponse(`HTTP ${response.status} without an API error`);
  }

  async #parse(response: Response): Promise<unknown> {
    const bytes = await this.#read(response, MAX_JSON);
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch (error) {
      throw this.#invalidResponse('it is not JSON', error);
    }
  }

  async #read(response: Response, limit: number, onRead?: (bytes: number) => void): Promise<Uint8Array> {
    const bytes = await readBounded(response, limit, onRead).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    if (bytes === null) throw this.#invalidResponse(`it is longer than ${limit} bytes`);
    return bytes;
  }

  #unreachable(error: unknown): Error {
    return new NoAnswerError(`Cannot reach the store at ${this.#options.baseUrl}: ${networkFault(error)}`, {
      cause: error,
    });
  }

  #invalidResponse(problem: string, cause?: unknown): Error {
    const message = `${this.#options.baseUrl} sent an invalid response: ${problem}. Is the URL correct?`;
    return failed(message, { cause });
  }
}
