import { personId, personName, publisherOf, publisherTokenName } from './caller.ts';
import type { PersonStore } from './person-store.ts';
import type { PublisherStore } from './publisher-store.ts';

export type NameStores = {
  people: Pick<PersonStore, 'findAll'>;
  publishers: Pick<PublisherStore, 'findAll'>;
};

/** Those that are there, each once. */
export const unique = <T>(all: readonly (T | null | undefined)[]): T[] => [
  ...new Set(all.filter((one) => one !== null && one !== undefined)),
];

/**
 * What people and publishers are called now, by how they stand on record: `person:<id>` and `publisher:<slug>`. Others, and
 * those that are gone, are left out.
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
