import type { Token, WhoAmI } from '@svc/contracts';
import type { Caller, TokenCaller } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import { ApiError } from '../platform/api-error.ts';

type Deps = { publishers: PublisherStore; people: Pick<PersonStore, 'membershipsOf'> };

/**
 * The publishers that a caller acts for, in the order of their slugs, with the role of the person: a token acts as a
 * member at most. Automation acts for all, and names none.
 */
async function publishersOf({ publishers, people }: Deps, caller: Caller): Promise<WhoAmI['publishers']> {
  if (caller.kind === 'automation') return [];
  const roles = caller.person ? await people.membershipsOf(caller.person.id) : caller.memberships;
  const memberships = [...caller.memberships].sort(([a], [b]) => (a < b ? -1 : 1));
  const found = await Promise.all(
    memberships.map(async ([slug, role]) => ({
      role: roles.get(slug) ?? role,
      publisher: await publishers.find(slug),
    })),
  );
  return found.flatMap(({ role, publisher }) =>
    publisher ? [{ slug: publisher.slug, name: publisher.name, role, verified: publisher.verified }] : [],
  );
}

/** What a token says of itself: not when it was made or used, which is for its owner to look up. */
const describe = ({ createdAt: _made, lastUsedAt: _used, ...token }: Token): WhoAmI['token'] => token;

/** Tells a caller who they are to the store. */
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
 * The token that a caller showed.
 * @throws ApiError forbidden when they showed none
 */
export function requireToken(caller: Caller): TokenCaller {
  if (caller.kind === 'token') return caller;
  throw new ApiError('forbidden', 'This revokes the developer token that is sent along: send one.');
}
