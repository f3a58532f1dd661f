import type { InstalledApp } from '../library/installed-app.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { CardApp, ConnectCard } from './card.ts';

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
