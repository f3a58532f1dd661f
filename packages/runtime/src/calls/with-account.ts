import { askToConnect, type SignInSource } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';

/** Maximum sign-ins per call: one because there is no token, one because the server requires more scopes. */
const MAX_SIGN_INS = 2;

/** Maximum retries per call during an outage of the authorization server, as the answers may come from a program. */
const MAX_RETRIES = 8;

/** What an attempt is missing: a sign-in, possibly with more scopes; or a response of the authorization server (`outage`). */
type Missing = { scopes: readonly string[]; outage: string | null };

/** What an attempt is missing; null for any other error. */
function missingIn(error: unknown): Missing | null {
  if (!(error instanceof RuntimeError)) return null;
  if (error.code === 'token-unavailable') return { scopes: [], outage: error.message };
  if (error.code !== 'not-connected') return null;
  return { scopes: Array.isArray(error.detail.scopes) ? error.detail.scopes : [], outage: null };
}

export type WithAccount = <T>(
  app: InstalledApp,
  accountId: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
) => Promise<T>;

/**
 * Creates a wrapper that asks the user to sign in when an attempt has no token, and then retries. Calls for the same account share a
 * card until it is answered; a call during the sign-in shows another card that can reopen the page.
 */
export function createWithAccount(ask: Ask, accounts: SignInSource): WithAccount {
  const shared = createSingleFlight<'connected' | 'retry'>();
  const answered = new Map<string, number>();

  function connect(app: InstalledApp, accountId: string, missing: Missing, signal: AbortSignal) {
    const { scopes, outage } = missing;
    const key = JSON.stringify([app.appId, accountId, scopes, outage !== null]);
    const count = answered.get(key) ?? 0;
    const accepted = () => void answered.set(key, count + 1);
    return shared(
      JSON.stringify([key, count]),
      (ended) => askToConnect({ ask, accounts }, app, accountId, { scopes, outage, accepted }, ended),
      signal,
    );
  }

  return async (app, accountId, signal, attempt) => {
    let [signIns, retries] = [0, 0];
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const missing = missingIn(error);
        if (!missing || signIns === MAX_SIGN_INS || retries === MAX_RETRIES) throw error;
        const outcome = await connect(app, accountId, missing, signal).catch((refusal: unknown) => {
          // If the user declines both options, the outage is the error.
          const isDeclined = refusal instanceof RuntimeError && refusal.code === 'declined';
          throw isDeclined && missing.outage !== null ? error : refusal;
        });
        if (outcome === 'retry') retries += 1;
        else signIns += 1;
      }
    }
  };
}
