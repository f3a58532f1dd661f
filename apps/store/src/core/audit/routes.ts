import type { AuditEntry, AuditPage, AuditQuery, Direction } from '@svc/contracts';
import { z } from 'zod';
import { pageOf } from '../../platform/page-of.ts';
import type { Handlers } from '../access/bind-route.ts';
import { personName, publisherTokenName } from '../domain/identity/caller.ts';
import { type NameStores, namesOnRecord, unique } from '../domain/identity/names-on-record.ts';
import type { Parts } from '../domain/parts/parts.ts';

/** Opaque to clients: the direction, and the id of the last entry of a page. */
const cursorOf = (direction: Direction) => z.tuple([z.literal(direction), z.int().positive()]);

type AuditDeps = NameStores & Pick<Parts, 'audit' | 'apps' | 'people'>;

/** Users whose name or address contains a text that a search names as the actor. */
const MAX_ACTORS = 50;

/** The recorded names of actors: of one on record, or of the users whose name or email address contains it. */
async function actorsOf({ people }: AuditDeps, actor: string | undefined) {
  if (actor === undefined || actor.includes(':')) return actor;
  const named = await people.search({ text: actor, after: null, limit: MAX_ACTORS });
  return [actor, ...named.rows.map(({ id }) => personName(id))];
}

/** The names of the actors and subjects of some entries: persons, publishers and apps. */
async function namesIn(
  { apps, ...stores }: AuditDeps,
  entries: readonly AuditEntry[],
): Promise<Record<string, string>> {
  const texts = entries.flatMap(({ actor, publisher, detail: { from, to, person, personId } }) => [
    ...[actor, from, to].filter((text) => typeof text === 'string'),
    // A transfer records the id of the new owner as `to`.
    ...[person, personId, to].filter((id) => typeof id === 'string').map(personName),
    ...(publisher === null ? [] : [publisherTokenName(publisher)]),
  ]);
  const [named, ofApps] = await Promise.all([
    namesOnRecord(stores, texts),
    apps.namesOf(unique(entries.map(({ appId }) => appId))),
  ]);
  return { ...named, ...Object.fromEntries(Array.from(ofApps, ([appId, name]) => [`app:${appId}`, name])) };
}

/**
 * Reads one page of the audit log. New entries do not shift pages: each page begins where the previous one ended.
 * @throws ApiError invalid_request for an invalid cursor
 */
async function readAuditLog(deps: AuditDeps, { cursor, ...search }: AuditQuery): Promise<AuditPage> {
  const { direction, limit } = search;
  const actor = await actorsOf(deps, search.actor);
  const { items, nextCursor } = await pageOf(
    { cursor, limit },
    cursorOf(direction),
    (after) => deps.audit.find({ ...search, actor, after: after?.[1] ?? null }),
    ({ id }) => [direction, id],
  );
  return { entries: items, names: await namesIn(deps, items), nextCursor };
}

export const auditRoutes = (deps: AuditDeps) =>
  ({
    auditLog: ({ query }) => readAuditLog(deps, query),
  }) satisfies Handlers;
