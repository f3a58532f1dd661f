import type { ManagedSettings } from './records/managed.ts';

/** Whether an id is one of some ids and prefixes such as `com.example.*`. */
export const matchesId = (patterns: readonly string[], id: string): boolean =>
  patterns.some((pattern) => (pattern.endsWith('.*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id));

/** Whether a host is one of some hosts and `*.example.com`, which means every host below it. */
export const matchesHostOf = (patterns: readonly string[], host: string): boolean =>
  patterns.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : pattern === host));

/** The host of an address; empty for none. */
export const hostOfAddress = (address: string): string => URL.parse(address)?.hostname.toLowerCase() ?? '';

/** The setting by which a company does not allow an app, by its id; null where it may be used. What is refused stays so if it is required. */
export function refusedById(
  { requiredApps = [], allowedApps, refusedApps = [] }: ManagedSettings,
  appId: string,
): 'allowedApps' | 'refusedApps' | null {
  if (matchesId(refusedApps, appId)) return 'refusedApps';
  if (allowedApps === undefined || requiredApps.includes(appId)) return null;
  return matchesId(allowedApps, appId) ? null : 'allowedApps';
}

/** The same for the address of a connector. */
export function refusedByAddress(
  { requiredConnectors = [], allowedConnectors, refusedConnectors = [] }: ManagedSettings,
  address: string,
): 'allowedConnectors' | 'refusedConnectors' | null {
  const host = hostOfAddress(address);
  if (matchesHostOf(refusedConnectors, host)) return 'refusedConnectors';
  if (allowedConnectors === undefined) return null;
  const hosts = [...allowedConnectors, ...requiredConnectors.map(hostOfAddress)];
  return matchesHostOf(hosts, host) ? null : 'allowedConnectors';
}
