import {
  type FreshToken,
  type IssuedToken,
  LIMITS,
  type NewPersonalToken,
  type NewPublisherToken,
  type NewToken,
  type RevokedToken,
  TOKEN_SCOPES,
  type Token,
  type TokenKind,
  type TokenList,
  type WhoAmI,
} from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { hashSecret } from '../../platform/secret.ts';
import type { Actor } from '../domain/audit/audit-log.ts';
import {
  type Caller,
  type PersonCaller,
  personId,
  requireMember,
  requireOwner,
  type TokenCaller,
} from '../domain/identity/caller.ts';
import { requireUnsuspended } from '../domain/identity/suspension.ts';
import { newToken, presentToken } from '../domain/identity/token-format.ts';
import type { TokenOwner, TokenRecord, TokenStore } from '../domain/identity/token-store.ts';
import { recordAccountChange } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Parts, Stores } from '../domain/parts/parts.ts';
import type { AppStore } from '../domain/versions/app-store.ts';

const DAY_MS = 24 * 3_600_000;

export type MakeDeps = ChangeParts & Pick<Parts, 'random'>;

/** The properties of a new token, and its lifetime in days. */
export type TokenRequest = Pick<
  TokenRecord,
  'name' | 'personId' | 'publisher' | 'appId' | 'scopes' | 'job'
> & {
  kind: TokenKind;
  days: number;
  /** The user whose recovery or suspension ends it; the actor by default. */
  madeBy?: string | null;
};

/** The owner of a token. */
export const ownerOf = ({ personId, publisher }: Pick<TokenRecord, 'personId' | 'publisher'>): TokenOwner =>
  personId === null ? { publisher: publisher ?? '' } : { personId };

/**
 * Refuses an owner who has the maximum of valid tokens.
 * @param more the number of tokens to add
 * @throws ApiError limit_reached
 */
export async function requireBelowLimit(
  tokens: TokenStore,
  owner: TokenOwner,
  now: string,
  more: number,
): Promise<void> {
  const max = LIMITS.tokens.live;
  if ((await tokens.countLive(owner, now)) + more <= max) return;
  throw new ApiError(
    'limit_reached',
    `There are already ${max} valid tokens, which is the maximum: revoke one first.`,
  );
}

/**
 * Creates a token with an audit entry, in the transaction of the given stores. The token itself is only in the result; the store keeps
 * its hash.
 */
export async function makeToken(
  deps: MakeDeps,
  stores: Stores,
  actor: Actor,
  { days, ...request }: TokenRequest,
): Promise<{ token: string; record: TokenRecord }> {
  const token = newToken(request.kind, deps.random);
  const now = deps.clock();
  const createdAt = now.toISOString();
  const record: TokenRecord = {
    ...request,
    scopes: [...new Set(request.scopes)],
    id: deps.newId(),
    hash: hashSecret(token),
    createdAt,
    expiresAt: new Date(Math.round(now.getTime() + days * DAY_MS)).toISOString(),
    lastUsedAt: null,
    revokedAt: null,
    madeBy: request.madeBy ?? personId(actor.name),
  };
  await stores.tokens.keep(record);
  const { kind, publisher, appId, scopes, expiresAt, job } = record;
  const commit = job?.source.commit ?? null;
  const detail = { kind, name: request.name, scopes, expiresAt, ...(commit !== null && { commit }) };
  await recordAccountChange(deps, stores, actor, createdAt, {
    action: 'token.issue',
    // Jobs of a trusted workflow get theirs many times a day.
    personId: (!job && personId(actor.name)) || '',
    what: request.name,
    tokenId: record.id,
    ...(publisher !== null && { publisher }),
    ...(appId !== null && { appId }),
    detail,
  });
  return { token, record };
}

type Deps = Pick<Parts, 'publishers' | 'people'>;

/**
 * The publishers of a caller, in the order of their slugs, with the role of the person (a token has at most the permissions of a
 * member). Automation may act for all publishers, and lists none.
 */
async function publishersOf({ publishers, people }: Deps, caller: Caller): Promise<WhoAmI['publishers']> {
  if (caller.kind === 'automation') return [];
  const roles = caller.person ? await people.membershipsOf(caller.person.id) : caller.memberships;
  const memberships = [...caller.memberships].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = await Promise.all(
    memberships.map(async ([slug, role]) => ({
      role: roles.get(slug) ?? role,
      publisher: await publishers.find(slug),
    })),
  );
  return rows.flatMap(({ role, publisher }) =>
    publisher ? [{ slug: publisher.slug, name: publisher.name, role, verified: publisher.verified }] : [],
  );
}

/** The public properties of a token. When it was created and used is only for its owner. */
const describe = ({ createdAt: _made, lastUsedAt: _used, ...token }: Token): WhoAmI['token'] => token;

/** Describes the caller. */
export async function whoAmI(deps: Deps, caller: Caller): Promise<WhoAmI> {
  const person = caller.kind === 'automation' ? null : caller.person;
  return {
    kind: caller.kind,
    ...(person && { person: { id: person.id, name: person.name, email: person.email } }),
    ...(caller.kind === 'token' && { token: describe(caller.token) }),
    publishers: await publishersOf(deps, caller),
  };
}

/**
 * The token of the request.
 * @throws ApiError forbidden when there is none
 */
export function requireToken(caller: Caller): TokenCaller {
  if (caller.kind === 'token') return caller;
  throw new ApiError('forbidden', 'This endpoint revokes the developer token of the request: send one.');
}

/**
 * Issues a token of a publisher, for the operator of the store.
 * @throws ApiError unknown_publisher, limit_reached
 */
export async function issueToken(
  deps: MakeDeps,
  caller: Actor,
  { publisher, scopes }: NewToken,
): Promise<IssuedToken> {
  const { token, record } = await deps.unitOfWork(async (stores) => {
    if (!(await stores.publishers.find(publisher))) {
      throw new ApiError(
        'unknown_publisher',
        `There is no publisher with the short name ${publisher}: create it first.`,
      );
    }
    await requireBelowLimit(stores.tokens, { publisher }, deps.clock().toISOString(), 1);
    return makeToken(deps, stores, caller, {
      kind: 'ci',
      name: 'automation',
      personId: null,
      publisher,
      appId: null,
      scopes: [...(scopes ?? TOKEN_SCOPES)],
      days: LIMITS.tokens.days.default,
    });
  });
  return { id: record.id, token, publisher, scopes: record.scopes, expiresAt: record.expiresAt };
}

export type OwnTokensDeps = MakeDeps & Pick<Parts, 'tokens'>;

/** Refuses an app of another publisher than those of the token. An unused id is allowed. */
async function requireAppWithin(
  apps: AppStore,
  appId: string | undefined,
  isWithin: (publisher: string) => boolean,
): Promise<void> {
  const app = appId === undefined ? null : await apps.find(appId);
  if (!app || isWithin(app.publisher)) return;
  throw new ApiError('id_taken', `The app ${appId} belongs to a publisher that is not covered by the token.`);
}

/** The request of a person, with defaults. */
const requestOf = ({ name, scopes = [...TOKEN_SCOPES], appId, days }: NewPublisherToken) => ({
  name,
  scopes,
  appId: appId ?? null,
  days,
});

async function makeWithin(
  deps: OwnTokensDeps,
  stores: Stores,
  caller: PersonCaller,
  request: TokenRequest,
): Promise<FreshToken> {
  await requireBelowLimit(stores.tokens, ownerOf(request), deps.clock().toISOString(), 1);
  const { token, record } = await makeToken(deps, stores, caller, request);
  return { ...presentToken(record), token };
}

/**
 * Creates a personal token, which has at most the permissions of a member.
 * @throws ApiError not_a_member, id_taken, limit_reached
 */
export async function makePersonalToken(
  deps: OwnTokensDeps,
  caller: PersonCaller,
  { publisher: only, ...fields }: NewPersonalToken,
): Promise<FreshToken> {
  const publisher = only ?? null;
  if (publisher !== null) requireMember(caller, publisher);
  const { id: personId } = caller.person;
  return deps.unitOfWork(async (stores) => {
    await requireAppWithin(stores.apps, fields.appId, (slug) =>
      publisher === null ? caller.memberships.has(slug) : slug === publisher,
    );
    const request: TokenRequest = { ...requestOf(fields), kind: 'personal', personId, publisher };
    return makeWithin(deps, stores, caller, request);
  });
}

/**
 * Creates a token of a publisher, for its automation. It stays valid when the owner who created it leaves.
 * @throws ApiError not_a_member, forbidden, id_taken, limit_reached
 */
export async function makePublisherToken(
  deps: OwnTokensDeps,
  caller: PersonCaller,
  publisher: string,
  fields: NewPublisherToken,
): Promise<FreshToken> {
  return deps.unitOfWork(async (stores) => {
    requireOwner(caller, publisher);
    await requireUnsuspended(stores, 'makePublisherToken', { publisher });
    await requireAppWithin(stores.apps, fields.appId, (slug) => slug === publisher);
    const request: TokenRequest = { ...requestOf(fields), kind: 'ci', personId: null, publisher };
    return makeWithin(deps, stores, caller, request);
  });
}

/** The valid tokens of an owner. */
export async function listTokens(
  { tokens, clock }: Pick<OwnTokensDeps, 'tokens' | 'clock'>,
  owner: TokenOwner,
): Promise<TokenList> {
  return { tokens: (await tokens.liveOf(owner, clock().toISOString())).map(presentToken) };
}

/**
 * Revokes a token. When this resolves, no process accepts it any more.
 * @param owner null revokes a token of any owner, for administrators
 * @throws ApiError not_found when the owner has no such token, or it is already revoked
 */
export async function revokeToken(
  { unitOfWork, clock }: Pick<OwnTokensDeps, 'unitOfWork' | 'clock'>,
  caller: Actor,
  owner: TokenOwner | null,
  id: string,
): Promise<RevokedToken> {
  const revokedAt = clock().toISOString();
  return unitOfWork(async ({ tokens, audit }) => {
    const record = await tokens.revoke(owner, id, revokedAt);
    if (!record) throw new ApiError('not_found', 'There is no such token, or it is already revoked.');
    const { publisher, kind, name } = record;
    const detail = { kind, name };
    const event = {
      action: 'token.revoke',
      tokenId: id,
      ...(publisher !== null && { publisher }),
      detail,
    } as const;
    await audit.add(caller, revokedAt, event);
    return { id, revokedAt };
  });
}
