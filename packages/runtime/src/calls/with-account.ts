import { askToConnect, type SignInSource } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';

/** Sign-ins that one call may ask a user for: one because there is no token, one because the server wants another. */
const MAX_SIGN_INS = 2;

/** Further tries that one call may offer while the authorization server is away: the answer may come from a program. */
const MAX_RETRIES = 8;

/** What an attempt lacks: a sign-in, with more scopes or not; or an answer of the authorization server. */
type Missing = { scopes: readonly string[]; outage: string | null };

/** What an attempt lacks; null when something else is wrong. */
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
 * Makes what lets a user sign in where an attempt lacks a token, and then tries again. Calls that wait for the same account share one
 * card until it is answered; one that comes while the user signs in shows another, from which the sign-in can be opened again.
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
          // A user who takes neither way has the outage as it is.
          const isDeclined = refusal instanceof RuntimeError && refusal.code === 'declined';
          throw isDeclined && missing.outage !== null ? error : refusal;
        });
        if (outcome === 'retry') retries += 1;
        else signIns += 1;
      }
    }
  };
}
