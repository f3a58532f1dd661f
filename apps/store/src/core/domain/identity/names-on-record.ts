import { personId, personName, publisherOf, publisherTokenName } from './caller.ts';
import type { PersonStore } from './person-store.ts';
import type { PublisherStore } from './publisher-store.ts';

export type NameStores = {
  people: Pick<PersonStore, 'findAll'>;
  publishers: Pick<PublisherStore, 'findAll'>;
};

/** Removes null, undefined and duplicates. */
export const unique = <T>(all: readonly (T | null | undefined)[]): T[] => [
  ...new Set(all.filter((item) => item !== null && item !== undefined)),
];

/**
 * Finds the current names of users and publishers by their recorded names: `person:<id>` and `publisher:<slug>`. Other names, and those
 * of deleted users and publishers, are omitted.
 */
export async function namesOnRecord(
  { people, publishers }: NameStores,
  onRecord: readonly string[],
): Promise<Record<string, string>> {
  const [persons, owners] = await Promise.all([
    people.findAll(unique(onRecord.map(personId))),
    publishers.findAll(unique(onRecord.map(publisherOf))),
  ]);
  return Object.fromEntries([
    ...persons.map(({ id, name }) => [personName(id), name]),
    ...owners.map(({ slug, name }) => [publisherTokenName(slug), name]),
  ]);
}
