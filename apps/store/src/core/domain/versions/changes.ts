import type { RouteName, TokenScope } from '@svc/contracts';
import { ApiError } from '../../../platform/api-error.ts';
import {
  type Caller,
  isAdministrator,
  isModerator,
  requireApp,
  requireMember,
  requireOwner,
  requireScope,
} from '../identity/caller.ts';
import type { Memberships } from '../identity/person-store.ts';
import { type ActedOn, requireUnsuspended, type SuspensionStores } from '../identity/suspension.ts';

declare const allowed: unique symbol;

/**
 * The actor and the time of a change that reaches clients. Only `requireChange` and `jobMover` create one, so that no query changes what is
 * signed, listed, served or read of a version without the rules of publishing.
 */
export type Mover = {
  by: string;
  at: string;
  /** Who approved first, where two persons decide. */
  first?: string;
  readonly [allowed]: true;
};

const moverOf = (by: string, at: string): Mover => ({ by, at }) as Mover;

/** The mover of the second of two persons. */
export const withFirst = (mover: Mover, first: string): Mover => ({ ...mover, first });

/** The first of two persons, for the audit log; nothing where one decided. */
export const firstOfTwo = ({ first }: Mover): { first?: string } => (first === undefined ? {} : { first });

type Rule = {
  by: 'member' | 'owner' | 'moderator' | 'administrator' | 'member or moderator';
  /** Scopes of which a token must have one. */
  scopes?: readonly TokenScope[];
  /** Whether it puts something of the publisher before users, which an app may leave to its trusted CI workflows. */
  publishes?: true;
};

const UPLOAD: readonly TokenScope[] = ['publish:new', 'publish:update'];

/**
 * Who may change what is signed, listed, served or read of a version, by route. A job of a trusted CI workflow is one of the callers;
 * suspensions are in `STOPPED_BY`.
 */
const CHANGES = {
  publish: { by: 'member', scopes: UPLOAD, publishes: true },
  recordTools: { by: 'member', scopes: UPLOAD, publishes: true },
  retractVersion: { by: 'member', scopes: UPLOAD },
  confirmVersion: { by: 'member' },
  yank: { by: 'member or moderator', scopes: ['yank'] },
  deprecateVersion: { by: 'owner' },
  setAppState: { by: 'owner' },
  answerOffer: { by: 'owner' },
  undoRecovered: { by: 'owner' },
  approve: { by: 'moderator' },
  reject: { by: 'moderator' },
  decideAppeal: { by: 'moderator' },
  acceptDrift: { by: 'moderator' },
  changeApp: { by: 'administrator' },
  reassignApp: { by: 'administrator' },
  unyank: { by: 'administrator' },
  startEmergency: { by: 'administrator' },
  undoEmergency: { by: 'administrator' },
} as const satisfies Partial<Record<RouteName, Rule>>;

export type Change = keyof typeof CHANGES;

export type ChangeStores = Omit<SuspensionStores, 'apps' | 'people'> & {
  apps: { find(appId: string): Promise<{ suspended: boolean; trustedOnly?: true } | null> };
  people: SuspensionStores['people'] & { membershipsOf(id: string): Promise<Memberships> };
};

/** Refuses a caller that is not a job of a trusted CI workflow. @throws ApiError forbidden */
function requireTrusted(caller: Caller, appId: string): void {
  if (caller.kind === 'token' && caller.source !== null) return;
  throw new ApiError(
    'forbidden',
    `The app ${appId} is published only by its trusted CI workflows: run one, or let an owner of the publisher change that on the page of the app.`,
  );
}

/** The caller with the memberships of now: those of a user may have changed since the request arrived. */
const current = async ({ people }: ChangeStores, caller: Caller): Promise<Caller> =>
  caller.kind === 'person'
    ? { ...caller, memberships: await people.membershipsOf(caller.person.id) }
    : caller;

const REQUIRES: Readonly<Record<Rule['by'], (caller: Caller, publisher: string) => void>> = {
  member: requireMember,
  owner: requireOwner,
  moderator: (caller) => requireStore(isModerator(caller)),
  administrator: (caller) => requireStore(isAdministrator(caller)),
  'member or moderator': (caller, publisher) => isModerator(caller) || requireMember(caller, publisher),
};

function requireStore(isAllowed: boolean): void {
  if (!isAllowed)
    throw new ApiError('forbidden', 'Only moderators or administrators of the store can do this.');
}

/**
 * Refuses a change of what is signed, listed, served or read of a version, unless the rules of publishing allow it: who acts for the
 * publisher or the store, with which token, what is suspended, and who alone may publish the app. Call it in the transaction of the change.
 * @param about what is changed
 * @param scopes those of the route by default
 * @throws ApiError not_a_member, forbidden, publisher_suspended, app_suspended
 */
export async function requireChange(
  stores: ChangeStores,
  change: Change,
  caller: Caller,
  about: ActedOn,
  at: string,
  scopes: readonly TokenScope[] | undefined = (CHANGES[change] as Rule).scopes,
): Promise<Mover> {
  const { by, publishes }: Rule = CHANGES[change];
  const { publisher, appId } = about;
  REQUIRES[by](await current(stores, caller), publisher);
  // Moderators yank whatever is suspended.
  if (by === 'member or moderator' && isModerator(caller)) return moverOf(caller.name, at);
  await requireUnsuspended(stores, change, about);
  if (scopes) requireScope(caller, ...scopes);
  if (appId !== undefined) {
    requireApp(caller, appId);
    if (publishes && (await stores.apps.find(appId))?.trustedOnly) requireTrusted(caller, appId);
  }
  return moverOf(caller.name, at);
}

/**
 * What the store itself changes, without a caller: it checks and signs what was uploaded or approved under the rules, lists servers, and
 * follows its own signed lists and those of the stores whose apps it carries. A suspension stops the first two in the query (`withheld`).
 */
export type Job = 'checker' | 'signer' | 'store' | 'upstream';

/** The mover of a job of the store. */
export const jobMover = (job: Job, at: string): Mover => moverOf(job, at);
