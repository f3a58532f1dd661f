import type { ServerStatus } from '@svc/contracts';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import type { ServerCheck } from './tool-store.ts';

/** How the server of a version was found at the last check; null before its first. */
export function serverStatusOf({ version }: VersionRef, check: ServerCheck | null): ServerStatus | null {
  const { state } = check ?? { state: {} as ServerCheck['state'] };
  if (state.version !== version || state.checkedAt === undefined) return null;
  const { checkedAt, outcome, driftSince, failingSince, declared = null, asPublished = null } = state;
  if (outcome === 'listed')
    return {
      ...{ checkedAt, declared, asPublished, since: driftSince ?? null },
      status: driftSince === undefined ? 'as-published' : 'changed',
    };
  return {
    status: outcome ?? 'not-answering',
    checkedAt,
    since: failingSince ?? null,
    declared,
    asPublished,
  };
}
