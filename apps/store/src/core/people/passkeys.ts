import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { LIMITS, type NewPasskey, type Passkey, type PasskeySignIn } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { beginSession, type Visit } from '../domain/identity/begin-session.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import type { PasskeyRecord } from '../domain/identity/credential-store.ts';
import type { Person } from '../domain/identity/person-store.ts';
import { recordAccountChange } from '../domain/mail/post-mail.ts';
import { beginCeremony, CEREMONY_MS, endCeremony } from './ceremony.ts';
import type { PeopleParts } from './people-parts.ts';

/** Loaded at the first use: its 300 modules would be a sixth of all modules at the start. */
const webauthn = () => import('@simplewebauthn/server');

/** The relying party: the host of the store's URL (WebAuthn section 5.1.2). */
const partyOf = ({ baseUrl }: Pick<PeopleParts, 'baseUrl'>) => {
  const { hostname, origin } = new URL(baseUrl);
  return { rpID: hostname, origin };
};

/** EdDSA, ES256 and RS256 (IANA's registry of COSE algorithms), which devices support. */
const ALGORITHMS = [-8, -7, -257];

const refused = () =>
  new ApiError('forbidden', 'This passkey was not accepted. Try again, or sign in another way.');

/** The library throws for an invalid response of a browser. Each error gives the same answer. */
async function requireVerified<T extends { verified: boolean }>(
  verify: () => Promise<T>,
): Promise<T & { verified: true }> {
  try {
    const result = await verify();
    if (result.verified) return result as T & { verified: true };
  } catch {
    // The reason would only help an attacker.
  }
  throw refused();
}

export const presentPasskey = ({ id, label, createdAt, lastUsedAt }: PasskeyRecord): Passkey => ({
  id,
  label,
  createdAt,
  lastUsedAt,
});

/**
 * Begins to create a passkey: a discoverable credential with user verification (fingerprint, face or PIN).
 * @param person its owner; one who signs up has an id already
 * @param existing the passkeys that the owner has
 * @returns the text for the ceremony's cookie, and the options for the browser
 */
export async function beginRegistration(
  deps: PeopleParts,
  kind: 'passkey.add' | 'passkey.sign-up',
  person: Pick<Person, 'id' | 'name' | 'email'>,
  existing: readonly PasskeyRecord[] = [],
) {
  const { cookie, secrets } = beginCeremony(deps, { kind, provider: null, personId: person.id });
  const options = await (await webauthn()).generateRegistrationOptions({
    rpName: deps.brandBook.now().name,
    rpID: partyOf(deps).rpID,
    userID: new TextEncoder().encode(person.id),
    userName: person.email ?? person.name,
    userDisplayName: person.name,
    challenge: Buffer.from(secrets.challenge, 'base64url'),
    timeout: CEREMONY_MS,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { cookie, options };
}

/** Begins to add a passkey to an account. @throws ApiError forbidden when it has the maximum */
export async function beginPasskey(deps: PeopleParts, { person }: PersonCaller) {
  const existing = await deps.passkeys.of(person.id);
  if (existing.length >= LIMITS.people.passkeys)
    throw new ApiError('forbidden', `You have the maximum of ${existing.length} passkeys: remove one first.`);
  return beginRegistration(deps, 'passkey.add', person, existing);
}

/**
 * Verifies a passkey that a browser created.
 * @param cookie the ceremony's cookie
 * @returns the passkey of the person for whom the ceremony began; it is not stored
 * @throws ApiError forbidden
 */
export async function verifyRegistration(
  deps: PeopleParts,
  kind: 'passkey.add' | 'passkey.sign-up',
  cookie: string | undefined,
  { label, credential }: NewPasskey,
): Promise<PasskeyRecord> {
  const { ceremony, secrets } = await endCeremony(deps, kind, cookie);
  const { rpID, origin } = partyOf(deps);
  const { registrationInfo } = await requireVerified(async () =>
    (await webauthn()).verifyRegistrationResponse({
      response: credential as RegistrationResponseJSON,
      expectedChallenge: secrets.challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  const { id, publicKey, counter } = registrationInfo.credential;
  if (ceremony.personId === null) throw refused();
  return {
    id,
    personId: ceremony.personId,
    label,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: credential.response.transports ?? [],
    createdAt: deps.clock().toISOString(),
    lastUsedAt: null,
  };
}

/** Stores a verified passkey. @throws ApiError already_exists when an account has it: the id of its credential proves nothing */
export async function storePasskey(
  { passkeys }: Pick<PeopleParts, 'passkeys'>,
  passkey: PasskeyRecord,
): Promise<void> {
  if (!(await passkeys.add(passkey)))
    throw new ApiError('already_exists', 'This passkey has already been added.');
}

/**
 * Adds a passkey that a browser created to an account.
 * @param cookie the ceremony's cookie
 * @throws ApiError forbidden, already_exists
 */
export async function addPasskey(
  deps: PeopleParts,
  caller: PersonCaller,
  cookie: string | undefined,
  created: NewPasskey,
): Promise<Passkey> {
  const passkey = await verifyRegistration(deps, 'passkey.add', cookie, created);
  const { id, label, createdAt } = passkey;
  if (passkey.personId !== caller.person.id) throw refused();
  await deps.unitOfWork(async (stores) => {
    await storePasskey(stores, passkey);
    // Its device has verified the user: the session is as good as one that began with it.
    await stores.sessions.prove(caller.person.id, caller.sessionId, createdAt, true);
    await recordAccountChange(deps, stores, caller, createdAt, {
      ...{ personId: caller.person.id, what: label },
      ...{ action: 'passkey.add', detail: { passkey: id, label } },
    });
  });
  return presentPasskey(passkey);
}

/**
 * Begins to use a passkey: to sign in with one of any person, or to prove the identity of a signed-in person.
 * @param person null for a sign-in
 * @returns the text for the ceremony's cookie, and the options for the browser
 */
export async function beginAssertion(deps: PeopleParts, person: Person | null) {
  const kind = person ? 'passkey.prove' : 'passkey.sign-in';
  const what = { kind, provider: null, personId: person?.id ?? null } as const;
  const { cookie, secrets } = beginCeremony(deps, what);
  const own = person ? await deps.passkeys.of(person.id) : [];
  const options = await (await webauthn()).generateAuthenticationOptions({
    rpID: partyOf(deps).rpID,
    challenge: Buffer.from(secrets.challenge, 'base64url'),
    timeout: CEREMONY_MS,
    userVerification: 'required',
    // A sign-in lists none: the browser finds a discoverable credential.
    ...(own.length > 0 && { allowCredentials: own.map(({ id, transports }) => ({ id, transports })) }),
  });
  return { cookie, options };
}

/**
 * Signs in with a passkey.
 * @param cookie the ceremony's cookie
 * @returns the secret for the session cookie
 * @throws ApiError forbidden
 */
export async function signInWithPasskey(
  deps: PeopleParts,
  cookie: string | undefined,
  credential: Assertion,
  visit: Visit,
): Promise<string> {
  const { passkey, counter } = await verifyAssertion(deps, 'passkey.sign-in', cookie, credential);
  return deps.unitOfWork(async (stores) => {
    const person = await stores.people.find(passkey.personId);
    await recordPasskeyUse(stores, passkey.id, counter, deps.clock());
    if (!person) throw refused();
    return beginSession(deps, stores, person, visit, 'passkey');
  });
}

type Assertion = PasskeySignIn['credential'];

/**
 * Verifies an assertion of a passkey.
 * @param cookie the ceremony's cookie
 * @returns the passkey, the counter of its device, and the user who began the ceremony
 * @throws ApiError forbidden
 */
export async function verifyAssertion(
  deps: PeopleParts,
  kind: 'passkey.sign-in' | 'passkey.prove',
  cookie: string | undefined,
  credential: Assertion,
): Promise<{ passkey: PasskeyRecord; counter: number; begunBy: string | null }> {
  const { ceremony, secrets } = await endCeremony(deps, kind, cookie);
  const { rpID, origin } = partyOf(deps);
  const passkey = await deps.passkeys.find(credential.id);
  if (!passkey) throw refused();
  const { authenticationInfo } = await requireVerified(async () =>
    (await webauthn()).verifyAuthenticationResponse({
      response: credential as AuthenticationResponseJSON,
      expectedChallenge: secrets.challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: {
        id: passkey.id,
        publicKey: Buffer.from(passkey.publicKey, 'base64url'),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    }),
  );
  const { userHandle } = credential.response;
  // WebAuthn section 7.2, step 6: the user handle must be that of the passkey's owner.
  if (!userHandle || Buffer.from(userHandle, 'base64url').toString() !== passkey.personId) throw refused();
  return { passkey, counter: authenticationInfo.newCounter, begunBy: ceremony.personId };
}

/**
 * Records the use of a passkey.
 * @throws ApiError forbidden when its counter does not grow, as that of a cloned authenticator (WebAuthn section 6.1.1), or when it was
 *   removed in the meantime
 */
export async function recordPasskeyUse(
  { passkeys }: Pick<PeopleParts, 'passkeys'>,
  id: string,
  counter: number,
  now: Date,
): Promise<void> {
  if (!(await passkeys.used(id, counter, now.toISOString()))) throw refused();
}
