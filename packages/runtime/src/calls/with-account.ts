import type { Ask, Card } from '../cards/card.ts';
import { connectCard } from '../cards/connect-card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeRefusal } from '../platform/refusal.ts';
import { createSingleFlight } from '../platform/single-flight.ts';
import type { TokenSource } from './token-source.ts';

/** Sign-ins that one call may ask a person for: one because there is no token, one because the server wants another. */
const MOST_SIGN_INS = 2;

/** What an attempt says is missing; null when something else is wrong. */
function missingIn(error: unknown): readonly string[] | null {
  if (!(error instanceof RuntimeRefusal) || error.code !== 'not-connected') return null;
  return Array.isArray(error.detail.scopes) ? error.detail.scopes : [];
}

export type WithAccount = <T>(
  app: InstalledApp,
  accountId: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
) => Promise<T>;

/**
 * Makes what lets a person sign in where an attempt finds the account not connected, and then tries again. Calls that wait for
 * the same account share one card.
 */
export function createWithAccount(ask: Ask, tokens: Pick<TokenSource, 'connect'>): WithAccount {
  const shared = createSingleFlight<void>();

  const signIn = (app: InstalledApp, accountId: string, scopes: readonly string[], signal: AbortSignal) => {
    const card: Card = connectCard(app, accountId, scopes);
    const work = async (ended: AbortSignal): Promise<void> => {
      const answer = await ask(card, ended);
      if (!answer.accepted) throw new RuntimeRefusal('declined', 'The account was not connected.');
      await tokens.connect(app, accountId, { signal: ended, ...(scopes.length > 0 && { scopes }) });
    };
    return shared(JSON.stringify([app.appId, accountId, scopes]), work, signal);
  };

  return async (app, accountId, signal, attempt) => {
    for (let signIns = 0; ; signIns += 1) {
      try {
        return await attempt();
      } catch (error) {
        const scopes = missingIn(error);
        if (!scopes || signIns === MOST_SIGN_INS) throw error;
        await signIn(app, accountId, scopes, signal);
      }
    }
  };
}
