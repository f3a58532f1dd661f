import { X509Certificate } from 'node:crypto';
import type { Settings } from '../settings.ts';

/** What the operator should know about a certificate authority whose time is over: connections that need it fail. */
const expiredNote = (pem: string, now: Date): string[] => {
  const { subject, validToDate } = new X509Certificate(pem);
  if (validToDate >= now) return [];
  const [day] = validToDate.toISOString().split('T');
  return [`SVC_CA_FILE has a certificate that expired on ${day}: ${String(subject).replaceAll('\n', ', ')}.`];
};

/**
 * What the operator should know about the settings when the store starts, a line each.
 *
 * The store itself speaks http: with an https address there is a proxy in front, whose address all clients share unless it is trusted.
 */
export function startNotes(
  { baseUrl, trustedProxies, authorities }: Pick<Settings, 'baseUrl' | 'trustedProxies' | 'authorities'>,
  now: Date,
): string[] {
  const expired = (authorities ?? []).flatMap((pem) => expiredNote(pem, now));
  if (!baseUrl.startsWith('https:') || trustedProxies.rules.length > 0) return expired;
  return [
    ...expired,
    'SVC_TRUSTED_PROXIES is not set, but SVC_BASE_URL is https, so a proxy is in front: all clients have its address. Limits per address then count all of them together, and the relay cannot tell which client started a sign-in. Set SVC_TRUSTED_PROXIES to the address of the proxy.',
  ];
}
