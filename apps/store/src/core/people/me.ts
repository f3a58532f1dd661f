import type { Me, MeChange, PersonalExport } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { IdentityRecord } from '../domain/identity/credential-store.ts';
import type { SessionRecord } from '../domain/identity/session-store.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import { requireActiveOwner } from '../publishers/members.ts';
import { requireOwnName } from './name-rules.ts';
import { presentPasskey } from './passkeys.ts';
import type { PeopleParts } from './people-parts.ts';
import type { Providers } from './provider.ts';

/** What the store has about the caller: the account, and what it did. Secrets are not part of it. */
export async function exportAccount(deps: PeopleParts, caller: PersonCaller): Promise<PersonalExport> {
  const {
    csrf: _csrf,
    providers: _providers,
    sendsMail: _sendsMail,
    ...account
  } = await presentMe(deps, caller, '');
  return {
    exportedAt: deps.clock().toISOString(),
    account,
    reviews: [],
    flags: [],
    reports: [],
    ...(await deps.leaving.records(caller.person.id)),
    ...(await deps.hooks.recordsOf(caller.person.id)),
  };
}

/**
 * Deletes the account of the caller. What it did stays under a random id.
 * @throws ApiError last_owner when a publisher would have no owner, forbidden for the last administrator
 */
export async function deleteAccount(deps: PeopleParts, caller: PersonCaller): Promise<void> {
  const mentions = await deps.leaving.mentions(caller.person);
  return deps.unitOfWork(async (stores) => {
    const { id } = caller.person;
    const person = await stores.people.find(id);
    if (!person) throw new ApiError('unauthorized', 'This account does not exist any more.');
    const at = deps.clock().toISOString();
    for (const [slug, role] of await stores.people.membershipsOf(id)) {
      await stores.members.remove(slug, id);
      if (role === 'owner') await requireActiveOwner(stores, slug);
      const event = { action: 'member.remove', publisher: slug, detail: { personId: id, role } } as const;
      await recordPublisherChange(deps, stores, caller, at, event);
    }
    if (person.role === 'administrator' && !(await stores.people.hasAdministrator(id)))
      throw new ApiError(
        'forbidden',
        'You are the last administrator: make another user an administrator first.',
      );
    await deps.hooks.personLeaves(stores, id, at);
    await stores.audit.add(caller, at, { action: 'person.delete', detail: { person: id } });
    await stores.leaving.forget(person, mentions);
  });
}

/**
 * Ends a session of the caller.
 * @throws ApiError not_found
 */
export const endSession = (
  { unitOfWork, clock }: PeopleParts,
  caller: PersonCaller,
  id: string,
): Promise<void> =>
  unitOfWork(async ({ sessions, audit }) => {
    if (!(await sessions.end(caller.person.id, id)))
      throw new ApiError('not_found', 'There is no such session: it may have ended already.');
    await audit.add(caller, clock().toISOString(), { action: 'session.end', detail: { session: id } });
  });

/**
 * Ends all sessions of the caller, including that of the request.
 * @param withTokens also revokes every token that the caller owns or created
 * @returns the number of ended sessions, and of revoked tokens
 */
export const endSessions = (
  { unitOfWork, clock }: PeopleParts,
  caller: PersonCaller,
  withTokens: boolean,
): Promise<{ ended: number; tokensRevoked?: number }> =>
  unitOfWork(async ({ sessions, tokens, audit }) => {
    const { id } = caller.person;
    const at = clock().toISOString();
    const ended = await sessions.endAll(id);
    const counts = { ended, ...(withTokens && { tokensRevoked: await tokens.revokeMadeBy(id, at) }) };
    await audit.add(caller, at, { action: 'session.end', detail: { all: true, ...counts } });
    return counts;
  });

const sessionView = ({ id, createdAt, lastSeenAt, address, agent }: SessionRecord, current: string) => ({
  id,
  current: id === current,
  createdAt,
  lastSeenAt,
  address,
  agent,
});

const identityView = (providers: Providers, { id, issuer, label, createdAt }: IdentityRecord) => {
  const provider = [...providers.values()].find((known) => known.issuer === issuer);
  return { id, provider: provider?.label ?? issuer, account: label, createdAt };
};

/**
 * The account of the signed-in person.
 * @param csrf the CSRF token for scripts of the page
 */
export async function presentMe(deps: PeopleParts, caller: PersonCaller, csrf: string): Promise<Me> {
  const { id } = caller.person;
  const person = (await deps.people.find(id)) ?? caller.person;
  const memberships = await Promise.all(
    Array.from(caller.memberships, async ([publisher, role]) => ({
      publisher,
      name: (await deps.publishers.find(publisher))?.name ?? publisher,
      role,
    })),
  );
  const { name, email, emailVerified, role, createdAt } = person;
  return {
    ...{ id, name, email, emailVerified, role, createdAt, memberships, csrf, sendsMail: deps.sendsMail },
    roleNeedsPasskey: caller.withheldRole !== null,
    passkeyDueAt: caller.passkeyDueAt === null ? null : new Date(caller.passkeyDueAt).toISOString(),
    hasPassword: (await deps.passwords.find(id)) !== null,
    passkeys: (await deps.passkeys.of(id)).map(presentPasskey),
    identities: (await deps.identities.of(id)).map((identity) => identityView(deps.providers, identity)),
    providers: Array.from(deps.providers.values(), (provider) => ({
      id: provider.id,
      label: provider.label,
    })),
    sessions: (await deps.sessions.of(id, deps.clock().toISOString())).map((session) =>
      sessionView(session, caller.sessionId),
    ),
  };
}

/**
 * Changes the name of a person.
 * @throws ApiError invalid_request for a name of the store, of a role or of a publisher
 */
export const changeMe = (deps: PeopleParts, caller: PersonCaller, { name }: MeChange): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const { people, audit } = stores;
    await requireOwnName(deps, stores, name, caller.person.id);
    await people.change(caller.person.id, { name });
    const at = deps.clock().toISOString();
    await audit.add(caller, at, { action: 'person.change', detail: { person: caller.person.id, name } });
  });
