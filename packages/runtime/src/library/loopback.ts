import { isThisMachine } from '@svc/contracts/this-machine';
import { isAllowedHere, type Loopback, portOf } from '../network/connector.ts';
import { enforcedFootprint, type InstalledApp, localPartOf } from './installed-app.ts';

/** Returns the addresses of this machine that an app may access. */
export type LoopbackOf = (app: InstalledApp) => Loopback;

/** Apps of developer folders may access all of this machine, and a connector on this machine its own server; other apps nothing. */
export const developerFoldersOnly: LoopbackOf = (app) => {
  if (app.source.kind === 'developer') return true;
  if (localPartOf(app)?.kind !== 'address') return false;
  const { origin, hostname } = new URL(enforcedFootprint(app).mcpUrl);
  return isThisMachine(hostname) ? [origin] : false;
};

/** The port of a URL of this machine; null for any other URL. */
export function localPort(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !isThisMachine(url.hostname)) return null;
  return portOf(url);
}

/** The addresses that the user agreed to: of the server and of the sign-ins, from the footprint. */
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
 * Allows the apps of one store to access the servers on this machine that they declare: exactly those ports.
 * @param store URL of the store, which must be on this machine
 * @param ownAddresses where the client itself listens. Apps may not access its ports, by any name of this machine.
 * @throws TypeError when the store is not on this machine: a remote store must not grant access to local ports
 */
export function localAppsOf(store: string, ownAddresses: () => readonly string[]): LoopbackOf {
  if (localPort(store) === null) {
    throw new TypeError('localApps needs a store on this machine: leave out localApps for other stores.');
  }
  return (app) => {
    const { source } = app;
    if (source.kind !== 'store' || source.store !== store) return developerFoldersOnly(app);
    const ownPorts = new Set([store, ...ownAddresses()].map(localPort));
    return declaredBy(app)
      .filter((address) => localPort(address) !== null && !ownPorts.has(localPort(address)))
      .map((address) => new URL(address).origin);
  };
}

/**
 * What the sign-ins of an app may reach. One whose server is on this machine may sign in anywhere on it, but for the ports of the client and
 * of the store: the user added that server by its address, or the store is on this machine too. The card shows the host.
 */
export const forSignIn =
  (loopbackOf: LoopbackOf, ownAddresses: () => readonly string[]): LoopbackOf =>
  (app) => {
    const reach = loopbackOf(app);
    const url = new URL(enforcedFootprint(app).mcpUrl);
    if (typeof reach === 'boolean' || !isAllowedHere(url, reach)) return reach;
    return { exceptPorts: ownAddresses().flatMap((address) => localPort(address) ?? []) };
  };
