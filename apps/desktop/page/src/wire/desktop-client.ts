import type { CallName, DesktopCalls } from '../../../src/wire/calls.ts';

/** The desktop refused a request. The message is for the user. */
export class RefusedError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.code = code;
  }
}

/** The desktop does not respond. */
export class UnreachableError extends Error {
  constructor() {
    super('svc desktop does not respond. Check that it is running.');
    this.name = 'UnreachableError';
  }
}

/** A file uploaded to the desktop, for a call or a panel. */
export type Upload = { id: string; name: string; type: string; bytes: number };

const isRefusal = (value: unknown): value is { code: string; message: string } =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value;

async function refusalOf(response: Response): Promise<RefusedError> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isRefusal(body)) return new RefusedError(String(body.code), String(body.message));
  const code = response.status === 401 ? 'unauthorized' : 'internal';
  return new RefusedError(code, `svc desktop failed with HTTP status ${response.status}.`);
}

/**
 * Creates a client of the desktop's HTTP API.
 * @param bearer of the session; null for the one call that opens it
 * @param onUnauthorized called when the session has ended
 */
export function createDesktopClient(bearer: string | null, onUnauthorized: () => void = () => {}) {
  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (bearer !== null) headers.set('Authorization', `Bearer ${bearer}`);
    const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new UnreachableError();
    });
    if (response.ok) return response;
    if (response.status === 401) onUnauthorized();
    throw await refusalOf(response);
  }
  const withSignal = (signal?: AbortSignal) => (signal ? { signal } : {});

  return {
    /** @throws RefusedError, UnreachableError */
    async request<Name extends CallName>(
      name: Name,
      input: DesktopCalls[Name]['in'],
      signal?: AbortSignal,
    ): Promise<DesktopCalls[Name]['out']> {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const body = JSON.stringify(input);
      const response = await send(`/api/${name}`, { method: 'POST', headers, body, ...withSignal(signal) });
      return response.json();
    },
    /** @param ofMessage converts a photo that models do not read. @throws RefusedError, UnreachableError */
    async upload(file: File, signal?: AbortSignal, ofMessage = false): Promise<Upload> {
      const path = `/uploads?${new URLSearchParams({ name: file.name, ...(ofMessage && { show: 'yes' }) })}`;
      const headers = { 'Content-Type': file.type || 'application/octet-stream' };
      const response = await send(path, { method: 'POST', headers, body: file, ...withSignal(signal) });
      return response.json();
    },
    /** Fetches bytes that need the bearer: files, icons. @throws RefusedError, UnreachableError */
    bytes: async (path: string, signal?: AbortSignal): Promise<Blob> =>
      (await send(path, withSignal(signal))).blob(),
    /** Opens the event stream. @throws RefusedError, UnreachableError */
    async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
      const { body } = await send('/events', { headers: { Accept: 'text/event-stream' }, signal });
      if (!body) throw new UnreachableError();
      return body;
    },
  };
}

/** The HTTP API of the desktop. */
export type DesktopClient = ReturnType<typeof createDesktopClient>;
