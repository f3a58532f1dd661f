import { createHash } from 'node:crypto';
import { LIMITS, type Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { cleanLine } from '@svc/text';
import { commandUrl, type InstalledApp, type LocalCommand } from '../library/installed-app.ts';

/** Characters for which percent-encoding makes no difference (RFC 3986 section 2.3). */
const UNRESERVED = /[\w.~-]/;

/**
 * The canonical form of a server URL, for comparison. Ignored are: letter case of scheme and host, the default port, `.` and `..`, the
 * trailing dot of a host, unnecessary percent-encoding (RFC 3986 section 6.2.2 and 6.2.3), a trailing slash, and the fragment, which
 * is never sent.
 * @returns the text itself when it is not a URL
 */
export function canonicalAddress(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  url.pathname = url.pathname
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return UNRESERVED.test(character) ? character : code.toUpperCase();
    })
    .replace(/\/$/, '');
  return url.href;
}

/** Whether two URLs are of the same server. */
export const isSameAddress = (a: string, b: string): boolean =>
  a === b || canonicalAddress(a) === canonicalAddress(b);

/** The id of the only account of a connector. */
export const CONNECTOR_ACCOUNT = 'server';

/**
 * The id of the app of a server. No store publishes ids with this prefix. It is derived from the address, so that
 * adding a server twice results in one app.
 */
const idOf = (url: string): string =>
  `local.mcp-${createHash('sha256').update(url).digest('hex').slice(0, 32)}`;

/**
 * A remote MCP server as an app, with a manifest generated from its address. It may access its own host, gets no files and
 * has no grants, because it was not reviewed. It declares no tools: they come from `tools/list`.
 * @param url as `connectorUrl` returns it
 * @param needsAccount whether it requires users to sign in
 * @param headers names of the headers that the user gave
 */
export function connectorApp(
  url: string,
  needsAccount: boolean,
  headers: readonly string[] = [],
): InstalledApp {
  const { host } = new URL(url);
  const made = appOf(url, {
    name: host,
    description: `The MCP server at ${host}, added by its address.`,
    permission: `Sends the arguments of tool calls to ${host}.`,
  });
  const app: InstalledApp =
    headers.length === 0 ? made : { ...made, source: { kind: 'connector', url, headers } };
  return needsAccount ? withAccount(app) : app;
}

/** A connector whose server requires users to sign in. */
export function withAccount(app: InstalledApp): InstalledApp {
  const account = {
    id: CONNECTOR_ACCOUNT,
    label: cleanLine(app.manifest.name, LIMITS.account.label),
    auth: 'mcp' as const,
    scopes: [],
  };
  const manifest = { ...app.manifest, accounts: [account] };
  return { ...app, manifest, consent: footprintOf(manifest) };
}

/**
 * A server of the local network or of this machine as an app, limited to the addresses that the user agreed to.
 * @param url as `resolveLocalAddress` returns it
 */
export const localAddressApp = (
  url: string,
  addresses: readonly string[],
  needsAccount: boolean,
  headers: readonly string[] = [],
): InstalledApp => ({
  ...connectorApp(url, needsAccount),
  source: {
    ...{ kind: 'connector', url, local: { kind: 'address', addresses } },
    ...(headers.length > 0 && { headers }),
  },
});

/** A program of this machine as an app. It gets no files. It can access whatever a program of the user can. */
export function commandApp(command: LocalCommand, name: string): InstalledApp {
  const url = commandUrl(command);
  const app = appOf(url, {
    name,
    description: `A program on this machine: ${command.program}`,
    permission: 'Runs on this machine as you, and can do whatever you can do on it.',
  });
  return { ...app, source: { kind: 'connector', url, local: { kind: 'command', ...command } } };
}

/** An app with a generated manifest, without grants and declared tools. */
function appOf(url: string, texts: { name: string; description: string; permission: string }): InstalledApp {
  const manifest: Manifest = {
    pluginApiVersion: 3,
    id: idOf(url),
    name: cleanLine(texts.name, LIMITS.manifest.name),
    version: '1.0.0',
    description: cleanLine(texts.description, LIMITS.manifest.description),
    permissions: [cleanLine(texts.permission, LIMITS.manifest.permission)],
    contributes: {},
    publisher: 'local',
    remote: { mcpUrl: url, domains: [] },
    branding: { icon: 'assets/icon.svg' },
    accounts: [],
  };
  return {
    appId: manifest.id,
    version: manifest.version,
    manifest,
    consent: footprintOf(manifest),
    source: { kind: 'connector', url },
    on: true,
    yanked: null,
  };
}
