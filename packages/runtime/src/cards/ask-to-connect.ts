import type { InstalledApp } from '../library/installed-app.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { orAborted } from '../platform/within-time.ts';
import type { Answer, Ask, CardApp, ConnectCard } from './card.ts';

/** How a card names an app. */
export const cardAppOf = ({ appId, version, manifest }: InstalledApp): CardApp => ({
  appId,
  name: manifest.name,
  version,
  publisher: manifest.publisher || null,
});

const hostOf = (address: string | undefined): string | null => URL.parse(address ?? '')?.host ?? null;

/** What is known beside the manifest when the card is written. */
type Known = Partial<Pick<ConnectCard, 'host' | 'formerHost' | 'outage' | 'isUnderWay'>>;

/**
 * Asks the user to connect an account.
 * @param addedScopes scopes to be asked for beside those of the manifest
 * @throws RuntimeError `unknown-account`
 */
export function connectCard(
  app: InstalledApp,
  accountId: string,
  addedScopes: readonly string[] = [],
  known: Known = {},
): ConnectCard {
  const account = app.manifest.accounts?.find(({ id }) => id === accountId);
  if (!account) throw new RuntimeError('unknown-account');
  const [signIn, token] =
    account.auth === 'mcp' ? [] : [hostOf(account.authorizeUrl), hostOf(account.tokenUrl)];
  const card: Omit<ConnectCard, 'binding'> = {
    kind: 'connect',
    app: cardAppOf(app),
    permissions: app.manifest.permissions,
    account: {
      id: account.id,
      label: account.label,
      scopes: [...new Set([...account.scopes, ...addedScopes])],
    },
    host: signIn ?? null,
    ...(token != null && token !== signIn && { tokenHost: token }),
    ...known,
  };
  return { ...card, binding: hashOfJson(card) };
}

/** What the Connect card of a sign-in shows. */
export type SignInDetails = {
  /** Host of the authorization server; null when unknown. */
  host: string | null;
  /** The scopes that will be requested; none when they are left to the server. */
  scopes: readonly string[];
};

/** The accounts, as sign-ins use them. */
export type SignInSource = {
  /** Signs the user in. `scopes` are additional scopes that a server requires. */
  connect(
    app: InstalledApp,
    accountId: string,
    options: { scopes?: readonly string[]; shownHost?: string | null },
  ): Promise<void>;
  /** A promise that settles with the sign-in in progress; null when there is none. */
  underWay(app: InstalledApp, accountId: string): Promise<void> | null;
  /**
   * What the Connect card of a sign-in shows, discovered from the app's server if needed.
   * @param scopes additional scopes that the app's server requires
   * @throws RuntimeError `scope-refused` when the manifest does not include them
   */
  signInDetails(app: InstalledApp, accountId: string, scopes?: readonly string[]): Promise<SignInDetails>;
};

type ConnectRequest = {
  scopes?: readonly string[];
  /** See `ConnectCard`. */
  outage?: string | null;
  /** Called when the user accepted. */
  accepted?(): void;
};

/** The answer to a card; null when a sign-in in progress succeeded before the user answered. */
async function answerTo(
  ask: (signal: AbortSignal) => Promise<Answer>,
  underWay: Promise<void> | null,
  signal: AbortSignal,
): Promise<Answer | null> {
  if (!underWay) return ask(signal);
  const connected = new AbortController();
  const asking = ask(AbortSignal.any([signal, connected.signal]));
  asking.catch(() => undefined);
  // If that sign-in fails, the card stays and starts another one.
  const done = underWay.then(
    () => null,
    () => asking,
  );
  try {
    return await Promise.race([asking, done]);
  } finally {
    connected.abort(new RuntimeError('declined', 'The account is connected.'));
  }
}

/**
 * Asks the user to connect an account, and signs them in. The sign-in continues after the caller has aborted.
 * @returns `retry` when the user chose to retry
 * @throws RuntimeError `declined`, and as `connect`; the signal's reason
 */
export async function askToConnect(
  { ask, accounts }: { ask: Ask; accounts: SignInSource },
  app: InstalledApp,
  accountId: string,
  { scopes = [], outage = null, accepted = () => undefined }: ConnectRequest,
  signal: AbortSignal,
): Promise<'connected' | 'retry'> {
  const details = await orAborted(signal, accounts.signInDetails(app, accountId, scopes));
  const { host } = details;
  const underWay = accounts.underWay(app, accountId);
  const card = connectCard(app, accountId, details.scopes, {
    host,
    ...(outage !== null && { outage }),
    ...(underWay && { isUnderWay: true }),
  });
  const answer = await answerTo((ended) => ask(card, ended), underWay, signal);
  signal.throwIfAborted();
  if (answer === null) return 'connected';
  if (!answer.accepted || (answer.binding ?? card.binding) !== card.binding)
    throw new RuntimeError('declined', 'The account was not connected.');
  accepted();
  if (outage !== null && answer.choice === 'retry') return 'retry';
  const signIn = accounts.connect(app, accountId, {
    shownHost: host,
    ...(scopes.length > 0 && { scopes }),
  });
  signIn.catch(() => undefined);
  await orAborted(signal, signIn);
  return 'connected';
}
