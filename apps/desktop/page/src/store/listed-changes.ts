import type { AppDetail, Change, Manifest } from '@svc/contracts';
import { signedChanges, signedFootprintOf } from '@svc/permissions';

/** What svc allows an app as its store lists it. The complete list is in the bundle, which the user sees before an install. */
export function listedChanges({ grants, domains, accounts }: AppDetail): Change[] {
  const entries = accounts.flatMap(({ id, scopes }) => [id, ...scopes.map((scope) => `${id}:${scope}`)]);
  return signedChanges({ grants, domains, accounts: entries });
}

/** What the listed version is allowed, and the installed one is not. */
export function addedChanges(app: AppDetail, installed: Manifest): Change[] {
  const agreed = new Set(signedChanges(signedFootprintOf(installed)).map(({ path }) => path));
  return listedChanges(app).filter(({ path }) => !agreed.has(path));
}
