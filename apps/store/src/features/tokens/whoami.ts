import type { Token, WhoAmI } from '@svc/contracts';
import type { Caller, TokenCaller } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';

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
