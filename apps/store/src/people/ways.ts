import type { PersonCaller } from '../domain/identity/caller.ts';
import { ApiError } from '../platform/api-error.ts';
import type { PeopleDeps, PeopleStores } from './people-stores.ts';
import type { Providers } from './provider.ts';

export type WaysDeps = PeopleDeps & { providers: Providers };

const missing = (what: string) => new ApiError('not_found', `You have no such ${what}.`);

/** How many ways a person has to sign in. An account at a provider that the store uses no longer is none. */
async function waysOf(
  { providers }: Pick<WaysDeps, 'providers'>,
  { passwords, passkeys, identities }: PeopleStores,
  personId: string,
): Promise<number> {
  const issuers = new Set(Array.from(providers.values(), ({ issuer }) => issuer));
  const usable = (await identities.of(personId)).filter(({ issuer }) => issuers.has(issuer));
  const password = await passwords.find(personId);
  return usable.length + (await passkeys.of(personId)).length + (password === null ? 0 : 1);
}

/** Removes a way of signing in, unless none were left. Two at once are decided one after the other. */
const removeWay = (
  deps: WaysDeps,
  caller: PersonCaller,
  remove: (stores: PeopleStores, personId: string, at: string) => Promise<void>,
): Promise<void> =>
  deps.unitOfWork(async (stores) => {
    const { id } = caller.person;
    await remove(stores, id, deps.clock().toISOString());
    if ((await waysOf(deps, stores, id)) === 0)
      throw new ApiError('forbidden', 'You could not sign in any more: add another way to sign in first.');
  });

/**
 * Removes one's password.
 * @throws ApiError not_found; forbidden when there is no other way to sign in
 */
export const removePassword = (deps: WaysDeps, caller: PersonCaller): Promise<void> =>
  removeWay(deps, caller, async ({ passwords, audit }, id, at) => {
    if (!(await passwords.remove(id))) throw missing('password');
    await audit.add(caller, at, { action: 'password.remove' });
  });

/**
 * Removes a passkey of one's own.
 * @throws ApiError not_found; forbidden when there is no other way to sign in
 */
export const removePasskey = (deps: WaysDeps, caller: PersonCaller, passkey: string): Promise<void> =>
  removeWay(deps, caller, async ({ passkeys, audit }, id, at) => {
    if (!(await passkeys.remove(id, passkey))) throw missing('passkey');
    await audit.add(caller, at, { action: 'passkey.remove', detail: { passkey } });
  });

/**
 * Removes an account at a provider from one's own.
 * @throws ApiError not_found; forbidden when there is no other way to sign in
 */
export const unlinkIdentity = (deps: WaysDeps, caller: PersonCaller, identityId: string): Promise<void> =>
  removeWay(deps, caller, async ({ identities, audit }, id, at) => {
    const identity = (await identities.of(id)).find((mine) => mine.id === identityId);
    if (!identity) throw missing('account at a provider');
    await identities.remove(id, identityId);
    const detail = { issuer: identity.issuer, account: identity.label };
    await audit.add(caller, at, { action: 'identity.remove', detail });
  });

/**
 * Gives a passkey of one's own another name.
 * @throws ApiError not_found
 */
export const renamePasskey = (
  deps: WaysDeps,
  caller: PersonCaller,
  passkey: string,
  label: string,
): Promise<void> =>
  deps.unitOfWork(async ({ passkeys, audit }) => {
    if (!(await passkeys.rename(caller.person.id, passkey, label))) throw missing('passkey');
    const at = deps.clock().toISOString();
    await audit.add(caller, at, { action: 'passkey.rename', detail: { passkey, label } });
  });
