import type { CallName, DesktopCalls } from '../../../src/wire/calls.ts';
import { WORDS } from '../words.ts';

/** What the desktop said no to, in words for the person. */
export class RefusedError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.code = code;
  }
}

/** Nobody answered: the desktop is not running, or not in reach. */
export class UnreachableError extends Error {
  constructor() {
    super(WORDS.connection.noAnswer);
    this.name = 'UnreachableError';
  }
}

/** A file that was handed to the desktop, for a call or a panel. */
export type Upload = { id: string; name: string; type: string; bytes: number };

/** The desktop, as the page asks it. */
export type Desk = {
  /** @throws RefusedError, UnreachableError */
  ask<Name extends CallName>(
    name: Name,
    input: DesktopCalls[Name]['in'],
    signal?: AbortSignal,
  ): Promise<DesktopCalls[Name]['out']>;
  /** @throws RefusedError, UnreachableError */
  upload(file: File, signal?: AbortSignal): Promise<Upload>;
  /** Bytes that need the bearer: kept files, icons. @throws RefusedError, UnreachableError */
  bytes(path: string, signal?: AbortSignal): Promise<Blob>;
  /** The stream of events, as it arrives. @throws RefusedError, UnreachableError */
  events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
};

const isRefusal = (value: unknown): value is { code: string; message: string } =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value;

async function refusalOf(response: Response): Promise<RefusedError> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isRefusal(body)) return new RefusedError(String(body.code), String(body.message));
  const code = response.status === 401 ? 'unauthorized' : 'internal';
  return new RefusedError(code, WORDS.connection.unexplained(response.status));
}

/**
 * Asks the desktop in the name of a session.
 * @param bearer of the session; null for the one call that makes it
 * @param refused told when the session counts no more
 */
export function createDesk(bearer: string | null, refused: () => void = () => {}): Desk {
  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (bearer !== null) headers.set('Authorization', `Bearer ${bearer}`);
    const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new UnreachableError();
    });
    if (response.ok) return response;
    if (response.status === 401) refused();
    throw await refusalOf(response);
  }
  const within = (signal?: AbortSignal) => (signal ? { signal } : {});

  return {
    async ask(name, input, signal) {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const body = JSON.stringify(input);
      const answer = await send(`/api/${name}`, { method: 'POST', headers, body, ...within(signal) });
      return answer.json();
    },
    async upload(file, signal) {
      const path = `/uploads?${new URLSearchParams({ name: file.name })}`;
      const headers = { 'Content-Type': file.type || 'application/octet-stream' };
      const answer = await send(path, { method: 'POST', headers, body: file, ...within(signal) });
      return answer.json();
    },
    bytes: async (path, signal) => (await send(path, within(signal))).blob(),
    async events(signal) {
      const { body } = await send('/events', { headers: { Accept: 'text/event-stream' }, signal });
      if (!body) throw new UnreachableError();
      return body;
    },
  };
}
