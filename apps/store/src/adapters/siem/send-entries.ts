import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { guarded } from '@svc/contracts/guarded';
import {
  type AuditAddress,
  type AuditFormat,
  type AuditSink,
  frameOf,
  textOfEntry,
} from '../../core/audit/audit-sink.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/** How long a collector may take for a batch, in milliseconds. */
const WITHIN_MS = 30_000;

/** What a sink is opened with. */
type SinkSettings = {
  address: AuditAddress;
  /** Of `http`: sent as a bearer token. */
  token: string | null;
  /** The form of an entry. */
  format: AuditFormat;
  /** The host of the store, which each message names. */
  store: string;
  fetch: typeof fetch;
};

const away = (cause?: unknown, retryAfter?: number): UnavailableError =>
  new UnavailableError('The collector of the audit log did not take the entries.', {
    cause,
    ...(retryAfter !== undefined && { retryAfter }),
  });

/**
 * Sends text on a connection of its own, and waits until the peer ends the connection too: syslog has no answer, and a peer that reads to the
 * end has everything. A connection that stays open could lose what the system had taken and not sent.
 */
const sendAll = ({ by, host, port }: AuditAddress, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    let socket: Socket;
    if (by === 'tls') socket = connectTls({ host, port, ...servername });
    else socket = connect({ host, port });
    let hasEnded = false;
    const timer = setTimeout(
      guarded(() => socket.destroy(new Error('It did not end the connection in time.'))),
      WITHIN_MS,
    );
    socket.once(
      by === 'tls' ? 'secureConnect' : 'connect',
      guarded(() => socket.end(text)),
    );
    socket.once(
      'end',
      guarded(() => {
        hasEnded = true;
      }),
    );
    socket.on(
      'error',
      guarded((error: Error) => reject(away(error))),
    );
    socket.once(
      'close',
      guarded(() => {
        clearTimeout(timer);
        if (hasEnded && socket.writableFinished) resolve();
        else reject(away());
      }),
    );
    socket.resume();
  });

/** Seconds in a `Retry-After`; undefined for a date or nothing. */
const secondsIn = (value: string | null): number | undefined =>
  value !== null && /^\d{1,6}$/.test(value) ? Number(value) : undefined;

/** The media types of lines. */
const TYPES = { json: 'application/x-ndjson', cef: 'text/plain; charset=utf-8' };

/** Sends lines as the body of one request. */
async function post({ address, token, format, fetch }: SinkSettings, lines: string): Promise<void> {
  const headers = {
    'Content-Type': TYPES[format],
    ...(token !== null && { Authorization: `Bearer ${token}` }),
  };
  const signal = AbortSignal.timeout(WITHIN_MS);
  const request = { method: 'POST', headers, body: lines, redirect: 'error', signal } as const;
  const answer = await fetch(address.url ?? '', request).catch((error: unknown) => {
    throw away(error);
  });
  await answer.body?.cancel();
  if (!answer.ok)
    throw away(new Error(`It answered ${answer.status}.`), secondsIn(answer.headers.get('retry-after')));
}

/** Opens the way to a collector. Sends nothing yet. */
export function openAuditSink(settings: SinkSettings): AuditSink {
  const { address, store, format } = settings;
  return {
    host: address.host,
    send: (entries) =>
      address.by === 'http'
        ? post(settings, entries.map((entry) => `${textOfEntry(entry, store, format)}\n`).join(''))
        : sendAll(address, entries.map((entry) => frameOf(entry, store, format)).join('')),
  };
}
