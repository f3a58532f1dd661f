import type { SignInSource } from '../cards/ask-to-connect.ts';
import type { InstalledApp } from '../library/installed-app.ts';

/** The accounts as calls use them. */
export type TokenSource = SignInSource & {
  /** Whether an access token is available, renewed if needed. */
  ready(app: InstalledApp, accountId: string): Promise<boolean>;
  /** Returns a valid token; null when the account is not connected. */
  token(app: InstalledApp, accountId: string, use: { host: string; tool: string }): Promise<string | null>;
  /** Refreshes a token that was refused with 401. @returns the new token; null when the user has to connect */
  refreshAfter401(
    app: InstalledApp,
    accountId: string,
    token: string,
    challenge: string | null,
  ): Promise<string | null>;
};
