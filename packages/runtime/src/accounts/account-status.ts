import type { Account } from '@svc/contracts';
import { type Grant, isValid } from './grant.ts';

/** How one account of an app stands. No token is in it. */
export type AccountStatus = {
  id: string;
  label: string;
  required: boolean;
  connected: boolean;
  /** ISO 8601, when the token at hand ends; it is renewed before if it can be. Null: not known, or not connected. */
  expiresAt: string | null;
  /** What was granted, or asked for where the server does not say. */
  scopes: readonly string[];
  /** Host of the authorization server, when it is known. */
  host: string | null;
  /** A sign-in of this process waits for the user: it can be opened again, or cancelled. */
  signingIn: boolean;
};

/** How an account stands with what was granted. */
export function statusOf(
  account: Account,
  grant: Grant | null,
  now: number,
): Omit<AccountStatus, 'signingIn'> {
  const connected = grant !== null && (isValid(grant, now) || grant.refreshToken !== null);
  const server = (connected && (grant.server.issuer ?? grant.server.tokenEndpoint)) || account.tokenUrl;
  const expiresAt = connected ? grant.expiresAt : null;
  return {
    id: account.id,
    label: account.label,
    required: account.required ?? false,
    connected,
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    scopes: connected ? (grant.granted ?? grant.asked ?? []) : account.scopes,
    host: (server !== undefined && URL.parse(server)?.host) || null,
  };
}
