import { LIMITS } from '@svc/contracts';
import type { Sites } from '../../core/publishers/site.ts';

/** Maximum size of a file about an issuer, in bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads a JSON file about an issuer over guarded connections. The operator named the host of the issuer, which may be on the local
 * network; no other host may.
 */
export async function readAboutIssuer(
  { sites }: { sites: Pick<Sites, 'file'> },
  issuer: string,
  host: string,
  path: string,
): Promise<{ json: unknown } | { fault: string }> {
  const isLocal = host === new URL(issuer).host;
  const answer = await sites.file(host, path, { maxBytes: MAX_BYTES, isLocal });
  if ('fault' in answer) return answer;
  try {
    return { json: JSON.parse(answer.text) };
  } catch {
    return { json: null };
  }
}

/** A claim as text, as far as a message may show it. */
export function claimText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.toWellFormed().slice(0, LIMITS.trustedPublishing.text);
}
