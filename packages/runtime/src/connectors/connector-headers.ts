import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { ClientSecrets } from '../vault/vault.ts';

/** Headers that the user gives for a connector, such as a key of its server. Names are in lower case. */
export type ConnectorHeaders = Readonly<Record<string, string>>;

const MAX_HEADERS = 10;
const MAX_VALUE = 8_000;

/** RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/;

/** Headers of the connection, of MCP and of this client, which a user cannot replace; by their beginnings. */
const OWN = new Set([
  ...['accept', 'accept-encoding', 'connection', 'cookie', 'expect', 'host', 'keep-alive', 'last-event-id'],
  ...['origin', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);
const OWN_BEGINNINGS = ['content-', 'mcp-', 'proxy-', 'x-svc-'];

const refuse = (message: string): RuntimeError => new RuntimeError('invalid-arguments', message);

/**
 * Checks headers as the user enters them.
 * @returns them with names in lower case
 * @throws RuntimeError `invalid-arguments`, which names the header and not its value
 */
export function plainHeaders(given: Readonly<Record<string, string>>): ConnectorHeaders {
  const headers = Object.entries(given).map(([name, value]) => [name.trim().toLowerCase(), value.trim()]);
  if (headers.length > MAX_HEADERS) throw refuse(`A connector has at most ${MAX_HEADERS} headers.`);
  for (const [name = '', value = ''] of headers) {
    if (!NAME.test(name))
      throw refuse('The name of a header has letters, digits and hyphens, such as X-Api-Key.');
    if (OWN.has(name) || OWN_BEGINNINGS.some((begin) => name.startsWith(begin)))
      throw refuse(`svc sets the header ${name} itself. Use another one.`);
    // RFC 9110 section 5.5, without the bytes beyond ASCII, which servers read differently.
    if (value === '' || value.length > MAX_VALUE || !/^[\t\x20-\x7e]+$/.test(value))
      throw refuse(`The value of ${name} has 1 to ${MAX_VALUE} characters of ASCII, on one line.`);
  }
  return Object.fromEntries(headers);
}

/** The headers of connectors. Their values are in the vault alone. */
export type HeaderStore = {
  /** @throws RuntimeError `server-failed` where they are no longer stored; as the vault */
  read(app: InstalledApp): Promise<ConnectorHeaders>;
  /** Replaces the headers of a connector. Without any, nothing of it stays in the vault. */
  write(appId: string, headers: ConnectorHeaders): Promise<void>;
};

export function openHeaderStore(secrets: ClientSecrets): HeaderStore {
  const nameOf = (appId: string) => `connector:${appId}`;
  return {
    async read(app) {
      const text = await secrets.read(nameOf(app.appId));
      if (text !== null) return JSON.parse(text) as ConnectorHeaders;
      throw new RuntimeError(
        'server-failed',
        'The headers of this connector are no longer stored: add it again with them.',
      );
    },
    write: (appId, headers) =>
      secrets.write(nameOf(appId), Object.keys(headers).length === 0 ? null : JSON.stringify(headers)),
  };
}
