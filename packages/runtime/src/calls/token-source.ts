import type { InstalledApp } from '../library/installed-app.ts';

/** What calls need of the accounts. */
export type TokenSource = {
  /** Signs the person in. `scopes` are those that a server asked for beyond what the token has. */
  connect(
    app: InstalledApp,
    accountId: string,
    options: { signal?: AbortSignal; scopes?: readonly string[] },
  ): Promise<void>;
  /** A fresh token; null when the account is not connected. */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
  /** After a 401 to that token: refreshes once, and gives the new token, or null when the person has to connect. */
  refused(
    app: InstalledApp,
    accountId: string,
    token: string,
    challenge: string | null,
  ): Promise<string | null>;
};
