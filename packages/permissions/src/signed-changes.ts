import type { Change, SignedFootprint } from '@svc/contracts';
import type { ComparedField } from './fields.ts';
import { pointerOf } from './pointer.ts';

/**
 * Converts signed facts or a listing to changes, so that they are described in the same words as an update. The complete
 * list is `changesOf(null, footprint)`, which needs the manifest.
 */
export function signedChanges({ grants, domains, accounts }: SignedFootprint): Change[] {
  const gained = (place: ComparedField, keys: readonly string[]): Change => ({
    path: pointerOf(place, keys),
    kind: 'reach',
    before: null,
    after: keys.at(-1) ?? null,
    widens: true,
  });
  return [
    ...domains.map((host) => gained('/remote/domains/*', [host])),
    // Every app has its own storage, listed or not.
    ...grants.filter((grant) => grant !== 'storage').map((grant) => gained('/grants/*', [grant])),
    ...accounts.map((entry) => {
      const [id = '', scope] = entry.split(/:(.*)/s);
      return scope === undefined ? gained('/accounts/*', [id]) : gained('/accounts/*/scopes/*', [id, scope]);
    }),
  ];
}
