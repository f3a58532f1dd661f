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

/** An app that is off or yanked gets no token and starts no sign-in. @throws RuntimeError withdrawn, switched-off */
export function requireTokenUse({ on, withdrawn }: InstalledApp): void {
  if (withdrawn) throw new RuntimeError('withdrawn');
  if (!on) throw new RuntimeError('switched-off');
}

/** Identifies the source of an app; it stays the same when the app is updated. */
function originOf(source: AppSource): string {
  if (source.kind === 'store') return source.store;
  if (source.kind === 'developer') return source.folder;
  return source.kind === 'connector' ? source.url : '';
}

/**
 * Binds a grant to an app, its source and its authorization servers, as text. An update that names other servers, or a developer
 * folder with the id of a store app, cannot use earlier grants.
 */
export function bindingOf({ source, manifest }: InstalledApp, account: Account): string {
  const endpoints =
    account.auth === 'mcp' ? [manifest.remote.mcpUrl] : [account.authorizeUrl, account.tokenUrl];
  const parts = [source.kind, originOf(source), account.auth ?? null, ...endpoints, account.clientId ?? null];
  return JSON.stringify(parts);
}
