import { hasVisible, nameKeys } from '@svc/text';
import { reservedNameIn } from '@svc/validator';
import { invalidField } from '../../platform/api-error.ts';
import type { NameStore } from '../domain/identity/name-store.ts';
import type { PersonStore } from '../domain/identity/person-store.ts';

/** Names that would suggest a role in the store. */
const ROLE_NAMES = ['administrator', 'moderator'] as const;

export type NameRules = {
  /** Reserved names, in addition to those of the service. */
  reservedNames: readonly string[];
};

type Stores = { names: Pick<NameStore, 'ownerOf'>; people: Pick<PersonStore, 'membershipsOf'> };

/**
 * Why a user may not have a name; null when they may: it contains a reserved name or that of a role, or looks like the name of a publisher
 * of which they are no member, and would make a review or a message look as if it came from there.
 */
async function faultOf(
  { reservedNames }: NameRules,
  { names, people }: Stores,
  name: string,
  personId: string | null,
): Promise<string | null> {
  const reserved = reservedNameIn(name, [...ROLE_NAMES, ...reservedNames]);
  if (reserved !== null)
    return `This name contains or looks like “${reserved}”, which is reserved for the store: choose a name without it.`;
  const owner = await names.ownerOf(nameKeys(name));
  if (owner === null) return null;
  const isMember = personId !== null && (await people.membershipsOf(personId)).has(owner);
  return isMember ? null : 'A publisher has this name or a confusingly similar one: choose another name.';
}

/**
 * Refuses a name that a user chose, if it would impersonate the store, its staff or a publisher.
 * @param personId null before the account exists
 * @throws ApiError invalid_request
 */
export async function requireOwnName(
  rules: NameRules,
  stores: Stores,
  name: string,
  personId: string | null,
): Promise<void> {
  const message = await faultOf(rules, stores, name, personId);
  if (message === null) return;
  throw invalidField('name', message, message);
}

/** The first of some names that a user may have, for names from a provider, which the user cannot correct. */
export async function firstOwnName(
  rules: NameRules,
  stores: Stores,
  candidates: readonly string[],
): Promise<string> {
  for (const name of candidates.filter(hasVisible))
    if ((await faultOf(rules, stores, name, null)) === null) return name;
  return 'Unnamed';
}
