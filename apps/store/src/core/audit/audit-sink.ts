import type { AuditEntry } from '@svc/contracts';
import { unbracketed } from '@svc/contracts/this-machine';
import { cefOf } from './cef.ts';

/** Where the audit log is delivered. */
export type AuditAddress = {
  /** How: syslog over TCP or TLS, or a request over HTTP. */
  by: 'tcp' | 'tls' | 'http';
  host: string;
  port: number;
  /** Of `http`: the whole address. */
  url?: string;
};

const PORTS = { 'syslog:': 601, 'syslogs:': 6514 } as const;

/**
 * Reads the address of a collector: `syslog://host:601` (RFC 6587), `syslogs://host:6514` (RFC 5425) or `https://host/path`.
 * @returns undefined for anything else, and for an address with a user or a password, which settings would show
 */
export function readAuditAddress(text: string, isOwn: (host: string) => boolean): AuditAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash, href } = new URL(text);
  const host = unbracketed(hostname);
  if (host === '' || username !== '' || password !== '' || hash !== '') return undefined;
  if (protocol === 'https:' || (protocol === 'http:' && isOwn(host)))
    return { by: 'http', host, port: Number(port), url: href };
  if ((protocol !== 'syslog:' && protocol !== 'syslogs:') || pathname.length > 1 || search !== '')
    return undefined;
  return {
    by: protocol === 'syslogs:' ? 'tls' : 'tcp',
    host,
    port: port === '' ? PORTS[protocol] : Number(port),
  };
}

/** What receives entries of the audit log. */
export interface AuditSink {
  /** The host of the collector. */
  host: string;
  /**
   * Delivers entries in their order. When it returns, the collector has all of them.
   * @throws UnavailableError otherwise; the collector may have some
   */
  send(entries: readonly AuditEntry[]): Promise<void>;
}

/** Only ASCII, so that no reader of syslog has to know its encoding. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** An entry as one line of JSON, with the host of the store. */
const lineOf = (entry: AuditEntry, store: string): string => ascii(JSON.stringify({ store, ...entry }));

/** The form of an entry: a line of JSON, or of ArcSight's Common Event Format. */
export const AUDIT_FORMATS = ['json', 'cef'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** An entry in the form that the operator chose. */
export const textOfEntry = (entry: AuditEntry, store: string, format: AuditFormat): string =>
  format === 'cef' ? cefOf(entry, store) : lineOf(entry, store);

/** Facility 13, log audit, and severity 5, notice (RFC 5424 section 6.2.1). */
const PRIORITY = 13 * 8 + 5;

/** A text as a field of a syslog header: printable ASCII without spaces (RFC 5424 section 6). */
const field = (text: string, maxLength: number): string =>
  text.replace(/[^\x21-\x7e]/g, '').slice(0, maxLength) || '-';

/** An entry as a syslog message (RFC 5424), framed by its length (RFC 6587 section 3.4.1, RFC 5425 section 4.3). */
export function frameOf(entry: AuditEntry, store: string, format: AuditFormat): string {
  const head = `<${PRIORITY}>1 ${entry.at} ${field(store, 255)} svc-store - ${field(entry.action, 32)} -`;
  const message = `${head} ${textOfEntry(entry, store, format)}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
