import type { TokenScope } from '@svc/contracts';

/** What is kept of a developer token: never the token itself. */
export type TokenRecord = {
  /** Hex SHA-256 of the token. */
  hash: string;
  /** Names the token where it must not be shown. */
  id: string;
  publisher: string;
  scopes: TokenScope[];
  createdAt: string;
  expiresAt: string;
};

/** What the store needs to remember of tokens. */
export interface TokenStore {
  keep(token: TokenRecord): Promise<void>;
  find(hash: string): Promise<TokenRecord | null>;
}
