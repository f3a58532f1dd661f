import type { TokenKind, TokenScope } from '@svc/contracts';
import type { Memberships, Person } from './person-store.ts';

/** What is kept of a developer token: never the token itself. */
export type TokenRecord = {
  /** Hex SHA-256 of the token. */
  hash: string;
  /** Names the token where it must not be shown. */
  id: string;
  kind: TokenKind;
  /** What its owner calls it. */
  name: string;
  /** Whose it is; null when it belongs to its publisher. */
  personId: string | null;
  /** The only publisher it acts for; null when it acts for all of its person's. */
  publisher: string | null;
  /** The only app it may touch; null when it is bound to none. */
  appId: string | null;
  scopes: TokenScope[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
};

/** A token, whose it is, and for which publishers that person acts now. */
export type FoundToken = { token: TokenRecord; person: Person | null; memberships: Memberships };

/** Whose tokens: those of a person, whatever publisher they are bound to, or a publisher's own. */
export type TokenOwner = { personId: string } | { publisher: string };

/** What the store needs to remember of tokens. A token that is neither revoked nor expired is live. */
export interface TokenStore {
  keep(token: TokenRecord): Promise<void>;
  find(hash: string): Promise<FoundToken | null>;
  /** The live tokens of an owner, the newest first. */
  liveOf(owner: TokenOwner, now: string): Promise<TokenRecord[]>;
  countLive(owner: TokenOwner, now: string): Promise<number>;
  /** Revokes a token of an owner; null when it has no such token, or it is revoked already. */
  revoke(owner: TokenOwner, id: string, at: string): Promise<TokenRecord | null>;
  /** Notes that tokens were used, but for those of which a use after `since` is noted already. */
  used(ids: readonly string[], at: string, since: string): Promise<void>;
  /** Forgets tokens that had expired at a time. */
  forgetExpired(at: string): Promise<void>;
}
