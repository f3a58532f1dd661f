import type { SignInSource } from '../cards/ask-to-connect.ts';
import type { InstalledApp } from '../library/installed-app.ts';

/** What calls need of the accounts. */
export type TokenSource = SignInSource & {
  /** Whether a token is at hand, renewed if needed. */
  ready(app: InstalledApp, accountId: string): Promise<boolean>;
  /** A fresh token; null when the account is not connected. */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
  /** After a 401 to that token: refreshes once, and gives the new token, or null when the person has to connect. */
  refreshAfter401(
    app: InstalledApp,
    accountId: string,
    token: string,
    challenge: string | null,
  ): Promise<string | null>;
};
