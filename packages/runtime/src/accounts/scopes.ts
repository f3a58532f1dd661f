import { cleanLine } from '@svc/text';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Maximum shown length of scopes, in characters. */
const MAX_SHOWN = 200;

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

/** The refusal of scopes that the manifest does not include. Scopes are printable (RFC 6749 section 3.3), but may be long. */
const scopeRefused = (scopes: readonly string[]): RuntimeError =>
  new RuntimeError(
    'scope-refused',
    `The app’s server requires scopes that the app does not declare: ${cleanLine(scopes.join(' '), MAX_SHOWN)}`,
    { detail: { scopes } },
  );

/**
 * The scopes to request; null leaves them to the server.
 * @throws RuntimeError scope-refused when the manifest does not include a required scope
 */
export function scopesToAsk({ signed, offered, added, offersOfflineAccess }: Wishes): string[] | null {
  if (signed.length > 0) {
    const refused = added.filter((scope) => !signed.includes(scope));
    if (refused.length > 0) throw scopeRefused(refused);
    return [...new Set(signed)];
  }
  const scopes = new Set([...(offered ?? []), ...added]);
  if (scopes.size === 0) return null;
  // The manifest names no scopes: `offline_access` grants no access by itself and may be added.
  if (offersOfflineAccess) scopes.add('offline_access');
  return [...scopes];
}
