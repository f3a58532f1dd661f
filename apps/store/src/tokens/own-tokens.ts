import {
  type FreshToken,
  type NewPersonalToken,
  type NewPublisherToken,
  type RevokedToken,
  TOKEN_SCOPES,
  type TokenList,
} from '@svc/contracts';
import type { Actor, AuditLog } from '../domain/audit/audit-log.ts';
import { type PersonCaller, requireMember, requireOwner } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import { presentToken } from '../domain/identity/present-token.ts';
import type { TokenOwner, TokenStore } from '../domain/identity/token-store.ts';
import type { AppStore } from '../domain/versions/app-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { type MakeDeps, makeToken, ownerOf, requireRoom, type Wish } from './make-token.ts';

type Stores = { tokens: TokenStore; apps: AppStore; people: PersonStore; audit: AuditLog };

export type OwnTokensDeps = MakeDeps & { tokens: TokenStore; unitOfWork: UnitOfWork<Stores> };

/** Refuses an app of a publisher that the token would not act for. An id that nobody has yet is nobody's. */
async function requireAppWithin(
  apps: AppStore,
  appId: string | undefined,
  isWithin: (publisher: string) => boolean,
): Promise<void> {
  const app = appId === undefined ? null : await apps.find(appId);
  if (!app || isWithin(app.publisher)) return;
  throw new ApiError(
    'id_taken',
    `The app ${appId} belongs to another publisher than the token would act for.`,
  );
}

/** What a person asked for, with what they left to us. */
const wishOf = ({ name, scopes = [...TOKEN_SCOPES], appId, days }: NewPublisherToken) => ({
  name,
  scopes,
  appId: appId ?? null,
  days,
});

async function makeWithin(
  deps: OwnTokensDeps,
  stores: Stores,
  caller: Actor,
  wish: Wish,
): Promise<FreshToken> {
  await requireRoom(stores.tokens, ownerOf(wish), deps.clock().toISOString(), 1);
  const { token, record } = await makeToken(deps, stores, caller, wish);
  return { ...presentToken(record), token };
}

/**
 * Makes a token of a person's own, which acts as a member and never as more.
 * @throws ApiError not_a_member, id_taken, limit_reached
 */
export async function makePersonalToken(
  deps: OwnTokensDeps,
  caller: PersonCaller,
  { publisher: only, ...asked }: NewPersonalToken,
): Promise<FreshToken> {
  const publisher = only ?? null;
  if (publisher !== null) requireMember(caller, publisher);
  const { id: personId } = caller.person;
  return deps.unitOfWork(async (stores) => {
    await requireAppWithin(stores.apps, asked.appId, (slug) =>
      publisher === null ? caller.memberships.has(slug) : slug === publisher,
    );
    const wish: Wish = { ...wishOf(asked), kind: 'personal', personId, publisher };
    return makeWithin(deps, stores, caller, wish);
  });
}

/** Refuses who is no owner by what the database says now: the token would outlive their ownership. */
async function requireOwnerStill({ people }: Stores, caller: PersonCaller, publisher: string): Promise<void> {
  requireOwner({ ...caller, memberships: await people.membershipsOf(caller.person.id) }, publisher);
}

/**
 * Makes a token of a publisher's own, for its automation. It stays when the owner who made it goes.
 * @throws ApiError not_a_member, forbidden, id_taken, limit_reached
 */
export async function makePublisherToken(
  deps: OwnTokensDeps,
  caller: PersonCaller,
  publisher: string,
  asked: NewPublisherToken,
): Promise<FreshToken> {
  return deps.unitOfWork(async (stores) => {
    await requireOwnerStill(stores, caller, publisher);
    await requireAppWithin(stores.apps, asked.appId, (slug) => slug === publisher);
    const wish: Wish = { ...wishOf(asked), kind: 'ci', personId: null, publisher };
    return makeWithin(deps, stores, caller, wish);
  });
}

/** The tokens of an owner that hold. */
export async function listTokens(
  { tokens, clock }: Pick<OwnTokensDeps, 'tokens' | 'clock'>,
  owner: TokenOwner,
): Promise<TokenList> {
  return { tokens: (await tokens.liveOf(owner, clock().toISOString())).map(presentToken) };
}

type RevokeDeps = Pick<OwnTokensDeps, 'unitOfWork' | 'clock'>;

/**
 * Revokes a token. It is worth nothing as soon as this is over, in all processes.
 * @throws ApiError not_found when the owner has no such token, or it is revoked already
 */
export async function revokeToken(
  { unitOfWork, clock }: RevokeDeps,
  caller: Actor,
  owner: TokenOwner,
  id: string,
): Promise<RevokedToken> {
  const revokedAt = clock().toISOString();
  return unitOfWork(async ({ tokens, audit }) => {
    const record = await tokens.revoke(owner, id, revokedAt);
    if (!record) throw new ApiError('not_found', 'There is no such token, or it was revoked already.');
    const { publisher, kind, name } = record;
    const detail = { kind, name };
    const deed = {
      action: 'token.revoke',
      tokenId: id,
      ...(publisher !== null && { publisher }),
      detail,
    } as const;
    await audit.add(caller, revokedAt, deed);
    return { id, revokedAt };
  });
}
