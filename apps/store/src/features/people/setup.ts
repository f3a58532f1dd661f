import { beginSession, requireActive, type Visit } from '../../domain/identity/begin-session.ts';
import { type PersonCaller, personName } from '../../domain/identity/caller.ts';
import type { PersonStore } from '../../domain/identity/person-store.ts';
import { invalidLink } from '../../platform/api-error.ts';
import { sameSecret } from '../../platform/secret.ts';
import { requireOwnName } from './name-rules.ts';
import { requireStrong } from './password.ts';
import type { PeopleParts, PeopleStores } from './people-parts.ts';
import { addPerson } from './sign-up.ts';

const NOT_VALID =
  'This page sets up a new store. Open it with the complete link that the store writes to its log at the start. If the store already has an administrator, the link no longer works: sign in instead.';

/** The link that creates the first administrator; null when there is one. */
export async function setupLink(
  deps: Pick<PeopleParts, 'people' | 'setupKey' | 'baseUrl'>,
): Promise<string | null> {
  if (await deps.people.hasAdministrator()) return null;
  return `${deps.baseUrl}/setup?key=${deps.setupKey}`;
}

/** Whether a key is that of the setup link, and the store has no administrator yet. */
export const isSetupKey = async (
  { setupKey }: Pick<PeopleParts, 'setupKey'>,
  people: Pick<PersonStore, 'hasAdministrator'>,
  key: string,
): Promise<boolean> => sameSecret(key, setupKey) && !(await people.hasAdministrator());

/**
 * Refuses a wrong key, and any key once there is an administrator.
 * @throws ApiError not_found
 */
export async function requireSetupKey(
  deps: Pick<PeopleParts, 'setupKey'>,
  { people }: { people: Pick<PersonStore, 'hasAdministrator'> },
  key: string,
): Promise<void> {
  if (!(await isSetupKey(deps, people, key))) throw invalidLink(NOT_VALID, 'Setup link not valid');
}

const promote = async (
  { people, audit }: PeopleStores,
  { id, from, at }: { id: string; from: Visit['from']; at: string },
) => {
  const person = await people.change(id, { role: 'administrator' });
  await people.beginGrace(at, id);
  const detail = { person: id, role: 'administrator', way: 'setup link' };
  await audit.add({ name: personName(id), from }, at, { action: 'person.change', detail });
  if (!person) throw invalidLink(NOT_VALID, 'Setup link not valid');
  return person;
};

/**
 * Makes the signed-in person the first administrator.
 * @throws ApiError not_found for a wrong key, or when another person was first
 */
export const becomeAdministrator = (deps: PeopleParts, caller: PersonCaller, key: string): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    await requireSetupKey(deps, stores, key);
    requireActive(caller.person);
    const at = deps.clock().toISOString();
    await promote(stores, { id: caller.person.id, from: caller.from, at });
  });

/** The form of a new administrator. */
export type FirstPerson = { name: string; email: string; password: string };

/**
 * Creates the first administrator, and signs in.
 * @returns the secret for the session cookie
 * @throws ApiError not_found for a wrong key, or when another person was first; invalid_request, already_exists
 */
export async function setUp(
  deps: PeopleParts,
  key: string,
  { name, email, password }: FirstPerson,
  visit: Visit,
): Promise<string> {
  await requireSetupKey(deps, deps, key);
  await requireStrong(password, { name, email });
  const hash = await deps.passwordHasher.hash(password);
  return deps.unitOfWork(async (stores) => {
    await requireSetupKey(deps, stores, key);
    await requireOwnName(deps, stores, name, null);
    const added = await addPerson(deps, stores, { name, email, emailVerified: false }, visit.from);
    await stores.passwords.set(added.id, hash, added.createdAt);
    const person = await promote(stores, { id: added.id, from: visit.from, at: added.createdAt });
    return beginSession(deps, stores, person, visit, 'setup link');
  });
}
