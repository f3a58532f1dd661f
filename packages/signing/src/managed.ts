import { SignedManagedSettings } from '@svc/contracts';
import { type JsonValue, signJson, verifyJsonSignature } from './json-signature.ts';
import { type KeyRing, keysFor, type SigningKey } from './keys.ts';

type JsonObject = { readonly [name: string]: JsonValue };

type Managed = Pick<SignedManagedSettings, 'managed' | 'changedAt'>;

/**
 * Signs what a store sets for desktops. The signed fields are those of no other statement.
 * @param signedAt ISO 8601 in UTC
 */
export function signManaged(
  { managed, changedAt }: Managed,
  signedAt: string,
  key: SigningKey,
): SignedManagedSettings {
  const signed = { managed: managed as JsonObject, changedAt, signedAt };
  return { ...signed, signature: signJson(signed, key), keyId: key.keyId };
}

/** Whether managed settings are signed by the pinned key that they name. */
export function verifyManaged(statement: unknown, keys: KeyRing): statement is SignedManagedSettings {
  const parsed = SignedManagedSettings.safeParse(statement);
  if (!parsed.success) return false;
  const { signature, keyId, managed, changedAt, signedAt } = parsed.data;
  const signed = { managed: managed as JsonObject, changedAt, signedAt };
  return keysFor(keys, keyId).some((key) => verifyJsonSignature(signed, signature, key));
}
