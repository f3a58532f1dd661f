import { RuntimeError } from '../platform/runtime-error.ts';

/** What a sign-in could ask for. */
type Wishes = {
  /** Of the signed manifest; when it names any, nothing beyond them is ever asked for. */
  signed: readonly string[];
  /** What the MCP server says it needs; null when it does not say, or there is none to ask. */
  offered: readonly string[] | null;
  /** What the app's server said that a token lacked (RFC 6750 section 3.1), beside what was asked for before. */
  added: readonly string[];
  /** Whether a refresh token has to be asked for by a scope. */
  offersOfflineAccess: boolean;
};

/**
 * The scopes to ask for; null leaves them to the server.
 * @throws RuntimeError scope-refused when more is needed than the app was signed for
 */
export function scopesToAsk({ signed, offered, added, offersOfflineAccess }: Wishes): string[] | null {
  if (signed.length > 0) {
    if (added.some((scope) => !signed.includes(scope))) throw new RuntimeError('scope-refused');
    return [...new Set(signed)];
  }
  const scopes = new Set([...(offered ?? []), ...added]);
  if (scopes.size === 0) return null;
  // Where the manifest leaves the scopes open, one that gives no access of its own may join them.
  if (offersOfflineAccess) scopes.add('offline_access');
  return [...scopes];
}
