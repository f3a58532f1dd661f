import type { Account } from '@svc/contracts';
import type { AppSource, InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/**
 * The account that an app declares.
 * @throws RuntimeError unknown-account
 */
export function accountOf({ manifest }: InstalledApp, accountId: string): Account {
  const account = manifest.accounts?.find(({ id }) => id === accountId);
  if (!account) throw new RuntimeError('unknown-account');
  return account;
}

/** An app that is off or withdrawn gets no token, and no sign-in begins for it. */
export function requireTokenUse({ on, withdrawn }: InstalledApp): void {
  if (withdrawn) throw new RuntimeError('withdrawn');
  if (!on) throw new RuntimeError('switched-off');
}

/** Where an app came from, without what an update changes. */
function originOf(source: AppSource): string {
  if (source.kind === 'store') return source.store;
  if (source.kind === 'developer') return source.folder;
  return source.kind === 'connector' ? source.url : '';
}

/**
 * What a grant is good for, as text: it counts only for the same app from the same place, with the same sign-in servers. An
 * update that names others, or a developer's folder with the id of an app from a store, does not come by what was granted before.
 */
export function bindingOf({ source, manifest }: InstalledApp, account: Account): string {
  const endpoints =
    account.auth === 'mcp' ? [manifest.remote.mcpUrl] : [account.authorizeUrl, account.tokenUrl];
  const parts = [source.kind, originOf(source), account.auth ?? null, ...endpoints, account.clientId ?? null];
  return JSON.stringify(parts);
}
