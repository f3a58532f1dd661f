import { createHash } from 'node:crypto';
import { LIMITS, type Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { cleanLine } from '@svc/text';
import type { InstalledApp } from '../library/installed-app.ts';

/** The one account of a connector. */
const CONNECTOR_ACCOUNT = 'server';

/**
 * The id of the app that is made for a server. No store publishes ids that begin so, and it follows from the address, so that
 * adding a server twice gives one app.
 */
const idOf = (url: string): string =>
  `local.mcp-${createHash('sha256').update(url).digest('hex').slice(0, 32)}`;

/**
 * A hosted MCP server as an app, with a manifest made for it from its address alone. It reaches its own host, gets no files,
 * and asks for no grant: nobody has looked at it. Its tools are not declared: they are what its server lists.
 * @param url as `connectorUrl` gives it
 * @param needsAccount whether it wants people to sign in
 */
export function connectorApp(url: string, needsAccount: boolean): InstalledApp {
  const { host } = new URL(url);
  const name = cleanLine(host, LIMITS.manifest.name);
  const account = {
    id: CONNECTOR_ACCOUNT,
    label: cleanLine(name, LIMITS.account.label),
    auth: 'mcp' as const,
    scopes: [],
  };
  const manifest: Manifest = {
    pluginApiVersion: 3,
    id: idOf(url),
    name,
    version: '1.0.0',
    description: cleanLine(`The MCP server at ${host}, added by its address.`, LIMITS.manifest.description),
    permissions: [cleanLine(`Sends what its tools are called with to ${host}.`, LIMITS.manifest.permission)],
    contributes: {},
    publisher: 'local',
    remote: { mcpUrl: url, domains: [] },
    branding: { icon: 'assets/icon.svg' },
    accounts: needsAccount ? [account] : [],
  };
  return {
    appId: manifest.id,
    version: manifest.version,
    manifest,
    consent: footprintOf(manifest),
    source: { kind: 'connector', url },
    on: true,
    withdrawn: null,
  };
}
