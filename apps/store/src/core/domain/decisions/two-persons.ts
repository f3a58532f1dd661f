import type { Manifest } from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import { ApiError } from '../../../platform/api-error.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, personId } from '../identity/caller.ts';
import type { PersonStore } from '../identity/person-store.ts';
import { type Mover, withFirst } from '../versions/changes.ts';
import type { FirstApproval, VersionRecord } from '../versions/version-record.ts';
import type { VersionStore } from '../versions/version-store.ts';
import {
  conflictOf,
  type IndependenceDeps,
  type IndependencePolicy,
  requireIndependent,
} from './independent.ts';

/** The decisions that need two persons: about which apps, publishers and permissions. */
export type TwoPersonsPolicy = {
  twoPersons: {
    apps: readonly string[];
    publishers: readonly string[];
    /** Grants, and `accounts` for any account of the user. */
    permissions: readonly string[];
  };
};

/** Whether a decision that lets users have a version needs two persons, by the policy of now. */
export function needsTwo(
  { twoPersons: { apps, publishers, permissions } }: TwoPersonsPolicy,
  { appId, publisher, manifest }: { appId: string; publisher: string; manifest: Manifest },
): boolean {
  if (apps.includes(appId) || publishers.includes(publisher)) return true;
  if (permissions.length === 0) return false;
  const { grants, accounts } = signedFootprintOf(manifest);
  return permissions.some((one) => (one === 'accounts' ? accounts.length > 0 : grants.includes(one)));
}

export type TwoPersonsStores = Pick<IndependenceDeps, 'members'> & {
  people: Pick<PersonStore, 'find' | 'search'>;
  versions: Pick<VersionStore, 'approveFirst'>;
  audit: Pick<AuditLog, 'add'>;
};

type Deps = { policy: TwoPersonsPolicy & IndependencePolicy };

/** The act of the two, and what exactly they agree on: a change of it makes the first approval void. */
export type ActOfTwo = { act: FirstApproval['act']; of?: string; note: string };

/**
 * The first approval of a version for an act; null without one, and when its moderator could not give it now: suspended, without the
 * role, deleted, or a member of the publisher.
 */
export async function validFirst(
  deps: Pick<IndependenceDeps, 'members'> & { people: Pick<PersonStore, 'find' | 'search'> } & Deps,
  record: VersionRecord,
): Promise<FirstApproval | null> {
  const { first } = record;
  const person = first && (await deps.people.find(personId(first.by) ?? ''));
  // A suspension, a recovery of the account and the end of the role have ended it for good.
  if (!first || !person || person.suspended || person.unconfirmed) return null;
  const { role } = person;
  if (role !== 'administrator' && (first.act === 'unyank' || role !== 'moderator')) return null;
  return (await conflictOf(deps, { name: first.by }, record)) === null ? first : null;
}

/**
 * Decides whether a caller may carry out an act alone, or is the first or the second of two. Call it in the transaction of the act, before
 * it. The first approval is recorded with the version, and every transition of the version ends it. Automation is no person.
 * @param mover of the caller
 * @returns the mover of the act, with the first of two; null when the caller is the first, so that nothing may be done yet
 * @throws ApiError forbidden for automation, for a moderator who is not independent, and for the first of the two
 */
export async function decideByTwo(
  { policy }: Deps,
  stores: TwoPersonsStores,
  caller: Caller,
  record: VersionRecord,
  mover: Mover,
  { act, of = '', note }: ActOfTwo,
): Promise<Mover | null> {
  const deps = { ...stores, policy };
  const isTwo = needsTwo(policy, record);
  // One administrator who undoes a yank may be a member of the publisher.
  if (isTwo || act !== 'unyank') await requireIndependent(deps, caller, record);
  if (!isTwo) return mover;
  if (caller.kind !== 'person')
    throw new ApiError('forbidden', 'The policy demands two persons for this decision: sign in.');
  const valid = await validFirst(deps, record);
  const first = valid?.act === act && valid.of === of ? valid : null;
  if (first?.by === caller.name)
    throw new ApiError(
      'forbidden',
      'You approved it as the first of two: another person must approve it too.',
    );
  if (first) return withFirst(mover, first.by);
  await stores.versions.approveFirst(record, { by: caller.name, act, of }, mover);
  const { appId, version, publisher } = record;
  const detail = { act, note };
  await stores.audit.add(caller, mover.at, { action: 'version.first', appId, version, publisher, detail });
  return null;
}
