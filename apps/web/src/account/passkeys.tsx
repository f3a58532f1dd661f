import { useState } from 'react';
import { send } from './api.ts';
import { Card, ConfirmButton, day, ErrorMessage, Field, Fields, textOf } from './parts.tsx';
import { useChange, useSignedIn } from './use-store.ts';

/** A credential as it is sent (WebAuthn section 5.1). */
type CredentialJson = ReturnType<PublicKeyCredential['toJSON']>;

const PATH = '/api/people/me/passkeys';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** Has the browser make a passkey, with whatever keeps it on this device. */
async function makePasskey(csrf: string): Promise<CredentialJson> {
  const options = await send<PublicKeyCredentialCreationOptionsJSON>(csrf, 'POST', `${PATH}/options`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  if (credential === null) throw new Error('No passkey was made.');
  return (credential as PublicKeyCredential).toJSON();
}

/** What a browser says when a person cancels is no sentence for people. */
const inWords = (error: unknown): Error =>
  error instanceof DOMException
    ? new Error(
        error.name === 'InvalidStateError'
          ? 'This device has a passkey for this account already.'
          : 'No passkey was made: it was broken off, or took too long.',
      )
    : (error as Error);

/** The passkeys of the person who is signed in. */
export function Passkeys() {
  const { passkeys, csrf } = useSignedIn();
  const [fault, setFault] = useState<Error | null>(null);
  const add = useChange((json: { label: string; credential: CredentialJson }) => ({
    method: 'POST',
    path: PATH,
    json,
  }));
  const remove = useChange((id: string) => ({ method: 'DELETE', path: pathOf(id) }));
  const submit = async (data: FormData) => {
    setFault(null);
    try {
      await add.mutateAsync({ label: textOf(data, 'label'), credential: await makePasskey(csrf) });
    } catch (error) {
      setFault(inWords(error));
      throw error;
    }
  };
  return (
    <Card title="Passkeys">
      <p className="soft">
        Sign in with your fingerprint, your face or the lock of your device. Nothing to remember, nothing to
        steal.
      </p>
      <ul className="rows">
        {passkeys.map(({ id, label, createdAt, lastUsedAt }) => (
          <li key={id}>
            <div>
              {label}
              <p className="soft">
                added {day(createdAt)},{' '}
                {lastUsedAt === null ? 'not used yet' : `last used ${day(lastUsedAt)}`}
              </p>
            </div>
            <ConfirmButton label="Remove" sure="Remove this passkey?" act={() => remove.mutate(id)} />
          </li>
        ))}
      </ul>
      <Fields action="Add a passkey" busy={add.isPending} submit={submit}>
        <Field label="Name of the new one" hint="Such as: my phone" name="label" required maxLength={60} />
      </Fields>
      <ErrorMessage error={fault ?? remove.error} />
    </Card>
  );
}
