import type { Settings } from '../settings.ts';

/**
 * What the operator should know about the settings when the store starts, a line each.
 *
 * The store itself speaks http: with an https address there is a proxy in front, whose address all clients share unless it is trusted.
 */
export function startNotes({
  baseUrl,
  trustedProxies,
}: Pick<Settings, 'baseUrl' | 'trustedProxies'>): string[] {
  if (!baseUrl.startsWith('https:') || trustedProxies.rules.length > 0) return [];
  return [
    'SVC_TRUSTED_PROXIES is not set, but SVC_BASE_URL is https, so a proxy is in front: all clients have its address. Limits per address then count all of them together, and the relay cannot tell which client started a sign-in. Set SVC_TRUSTED_PROXIES to the address of the proxy.',
  ];
}
