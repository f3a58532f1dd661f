import type { Origin } from '../domain/audit/audit-log.ts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import { personName } from '../domain/identity/caller.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Quota } from '../platform/rate.ts';
import { requireStrong } from './password.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
import type { SignInDeps } from './sign-in.ts';
import { takeSignUp } from './tries.ts';

/** What a new person says of themselves. */
export type NewPerson = Pick<Person, 'name' | 'email' | 'emailVerified'>;

/**
 * Keeps a new person. Run it in the transaction of what they come by.
 * @throws ApiError already_exists when another account has the email address
 */
export async function addPerson(
  { clock, newId }: Pick<PeopleDeps, 'clock' | 'newId'>,
  { people, audit }: Pick<PeopleStores, 'people' | 'audit'>,
  newPerson: NewPerson,
  from: Origin,
): Promise<Person> {
  const createdAt = clock().toISOString();
  const person: Person = { id: newId(), ...newPerson, role: 'person', suspended: false, createdAt };
  if (!(await people.add(person))) {
    throw new ApiError(
      'already_exists',
      'No account was made with this email address. If it is yours and you have one, sign in to that.',
    );
  }
  const detail = { name: person.name };
  await audit.add({ name: personName(person.id), from }, createdAt, { action: 'person.create', detail });
  return person;
}

/**
 * Makes an account with a password, and signs in to it. Nobody has shown that the email address is theirs.
 * @param tell is told how many more may be made
 * @returns the secret for the cookie
 * @throws ApiError invalid_request for a bad password, already_exists, rate_limited
 */
export async function signUp(
  deps: SignInDeps,
  { name, email, password }: { name: string; email: string; password: string },
  visit: Visit,
  tell: (quota: Quota) => void,
): Promise<string> {
  await requireStrong(password, { name, email });
  tell(await takeSignUp(deps, visit.from.address));
  const hash = await deps.passwordHasher.hash(password);
  return deps.unitOfWork(async (stores) => {
    const person = await addPerson(deps, stores, { name, email, emailVerified: false }, visit.from);
    await stores.passwords.set(person.id, hash, person.createdAt);
    return beginSession(deps, stores, person, visit, 'password');
  });
}
