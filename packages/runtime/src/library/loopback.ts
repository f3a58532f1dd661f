import { isLoopbackHost, type Loopback } from '../network/allowed-url.ts';
import { enforcedFootprint, type InstalledApp, localPartOf } from './installed-app.ts';

/** What an app may reach on this machine. */
export type LoopbackOf = (app: InstalledApp) => Loopback;

/** Folders of developers reach what runs on their machine, and a connector on it its own server; nothing else does. */
export const developerFoldersOnly: LoopbackOf = (app) => {
  if (app.source.kind === 'developer') return true;
  if (localPartOf(app)?.kind !== 'address') return false;
  const { origin, hostname } = new URL(enforcedFootprint(app).mcpUrl);
  return isLoopbackHost(hostname) ? [origin] : false;
};

/** The port of an address on this machine; null for any other address. */
export function localPort(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !isLoopbackHost(url.hostname)) return null;
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

/** The addresses that a person agreed to: of the server and of the sign-ins, as the footprint has them. */
function declaredBy(app: InstalledApp): string[] {
  const { mcpUrl, endpoints } = enforcedFootprint(app);
  const signIns = endpoints.flatMap(({ authorizeUrl, tokenUrl, revokeUrl }) => [
    authorizeUrl,
    tokenUrl,
    revokeUrl,
  ]);
  return [mcpUrl, ...signIns].filter((address) => address !== null);
}

/**
 * Lets the apps of one store reach the servers on this machine that they declare: those very ports, and no other.
 * @param store its address, which is on this machine
 * @param ownAddresses where the client itself listens. Its ports are no app's, under whichever name of this machine.
 * @throws TypeError when the store is somewhere else: nobody on the network may name ports of this machine
 */
export function localAppsOf(store: string, ownAddresses: () => readonly string[]): LoopbackOf {
  if (localPort(store) === null) {
    throw new TypeError('Apps on this machine come from a store on this machine alone: leave out localApps.');
  }
  return (app) => {
    const { source } = app;
    if (source.kind !== 'store' || source.store !== store) return developerFoldersOnly(app);
    const taken = new Set([store, ...ownAddresses()].map(localPort));
    return declaredBy(app)
      .filter((address) => localPort(address) !== null && !taken.has(localPort(address)))
      .map((address) => new URL(address).origin);
  };
}
