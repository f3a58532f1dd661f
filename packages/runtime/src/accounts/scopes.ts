import { RuntimeError } from '../platform/runtime-error.ts';

/** The sources of the scopes of a sign-in. */
type Wishes = {
  /** Scopes of the signed manifest; if there are any, no other scope is requested. */
  signed: readonly string[];
  /** Scopes that the MCP server requires; null when unknown. */
  offered: readonly string[] | null;
  /** Scopes that a token lacked (RFC 6750 section 3.1), and those that were requested earlier. */
  added: readonly string[];
  /** Whether the server supports `offline_access`. */
  offersOfflineAccess: boolean;
};

/**
 * The scopes to request; null leaves them to the server.
 * @throws RuntimeError scope-refused when the manifest does not include a required scope
 */
export function scopesToAsk({ signed, offered, added, offersOfflineAccess }: Wishes): string[] | null {
  if (signed.length > 0) {
    if (added.some((scope) => !signed.includes(scope))) throw new RuntimeError('scope-refused');
    return [...new Set(signed)];
  }
  const scopes = new Set([...(offered ?? []), ...added]);
  if (scopes.size === 0) return null;
  // The manifest names no scopes: `offline_access` grants no access by itself and may be added.
  if (offersOfflineAccess) scopes.add('offline_access');
  return [...scopes];
}
