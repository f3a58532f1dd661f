import type { AuditEntry, AuditPage, AuditQuery, Direction } from '@svc/contracts';
import { z } from 'zod';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import { personName } from '../domain/identity/caller.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';
import type { PublisherStore } from '../domain/identity/publisher-store.ts';
import type { AppStore } from '../domain/versions/app-store.ts';
import { readCursor, writeCursor } from '../platform/cursor.ts';

/** Opaque to clients: the direction, and the id of the last entry of a page. */
const cursorOf = (direction: Direction) => z.tuple([z.literal(direction), z.int().positive()]);

const NOT_OURS = {
  message: 'This cursor is not one of ours: start again without it.',
  advice: 'Use nextCursor of a page.',
};

export type AuditDeps = {
  audit: AuditLog;
  people: Pick<PersonStore, 'findAll'>;
  publishers: Pick<PublisherStore, 'findAll'>;
  apps: Pick<AppStore, 'namesOf'>;
};

const PERSON = personName('');
const PUBLISHER = 'publisher:';

/** What is after a prefix, in those that have it. */
const without = (prefix: string, names: readonly string[]): string[] =>
  names.flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : []));

const unique = <T>(all: readonly (T | null | undefined)[]): T[] => [
  ...new Set(all.filter((one) => one !== null && one !== undefined)),
];

/** What those are called who did something, or to whom it was done: people, publishers and apps. */
async function namesIn(
  { people, publishers, apps }: AuditDeps,
  entries: readonly AuditEntry[],
): Promise<Record<string, string>> {
  const texts = entries.flatMap(({ actor, detail: { from, to } }) =>
    [actor, from, to].filter((text) => typeof text === 'string'),
  );
  const meant = entries.map(({ detail }) => detail.person).filter((id) => typeof id === 'string');
  const slugs = [...without(PUBLISHER, texts), ...entries.map(({ publisher }) => publisher)];
  const [persons, owners, names] = await Promise.all([
    people.findAll(unique([...without(PERSON, texts), ...meant])),
    publishers.findAll(unique(slugs)),
    apps.namesOf(unique(entries.map(({ appId }) => appId))),
  ]);
  return Object.fromEntries([
    ...persons.map(({ id, name }) => [personName(id), name]),
    ...owners.map(({ slug, name }) => [PUBLISHER + slug, name]),
    ...Array.from(names, ([appId, name]) => [`app:${appId}`, name]),
  ]);
}

/**
 * One page of what was done. What is done meanwhile moves no page: each begins where the one before ended.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function readAuditLog(deps: AuditDeps, { cursor, ...search }: AuditQuery): Promise<AuditPage> {
  const { direction } = search;
  const after = cursor === undefined ? null : readCursor(cursorOf(direction), cursor, NOT_OURS)[1];
  const found = await deps.audit.find({ ...search, after });
  const entries = found.slice(0, search.limit);
  const last = entries.at(-1);
  const names = await namesIn(deps, entries);
  return {
    entries,
    names,
    nextCursor: found.length > entries.length && last ? writeCursor([direction, last.id]) : null,
  };
}
