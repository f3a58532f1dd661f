import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { Button, day, Field, Rows, textOf } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import { send } from './api.ts';
import { Card, ChangeButton, ChangeForm } from './parts.tsx';
import { useSignedIn } from './use-store.ts';

/** A credential in JSON (WebAuthn section 5.1). */
type CredentialJson = BodyOf<'POST /api/people/me/passkeys'>['credential'];

/** Creates a passkey with an authenticator of the user's choice. */
async function createPasskey(csrf: string): Promise<CredentialJson> {
  const options = await send(csrf, apiRequest('POST /api/people/me/passkeys/options'));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  if (credential === null) throw new Error('No passkey was created.');
  return (credential as PublicKeyCredential).toJSON() as unknown as CredentialJson;
}

/** Replaces the technical message of the browser, for example when the user cancels. */
const readableError = (error: unknown): Error =>
  error instanceof DOMException
    ? new Error(
        error.name === 'InvalidStateError'
          ? 'This device already has a passkey for this account.'
          : 'No passkey was created: the request was cancelled or timed out.',
      )
    : (error as Error);

/** Until when the notice is hidden in this browser, in milliseconds since 1970. */
const HIDDEN_KEY = 'svc-passkey-notice';
const HIDDEN_MS = 24 * 60 * 60_000;

/** Whether the user hid a notice less than a day ago, and what hides it. */
function useHidden(): [isHidden: boolean, hide: () => void] {
  const [until, setUntil] = useState(() => Number(localStorage.getItem(HIDDEN_KEY)));
  const hide = () => {
    const end = Date.now() + HIDDEN_MS;
    localStorage.setItem(HIDDEN_KEY, String(end));
    setUntil(end);
  };
  // A clock that was set back does not hide it for longer.
  return [until > Date.now() && until <= Date.now() + HIDDEN_MS, hide];
}

/** What the user must do to have their role, now or from a day on. */
function RolePasskey() {
  const { roleNeedsPasskey, passkeyDueAt, passkeys } = useSignedIn();
  const [isHidden, hide] = useHidden();
  if (passkeyDueAt === null || (isHidden && !roleNeedsPasskey)) return null;
  const next = window.location.pathname;
  return (
    <p className="callout" role="status">
      {roleNeedsPasskey
        ? 'Moderators and administrators of this store use a passkey: a stolen password alone gives no role. '
        : `From ${day(passkeyDueAt)} on your role needs a passkey: `}
      {passkeys.length > 0 ? (
        <a href={`/sign-in?${new URLSearchParams({ again: '', next })}`}>Sign in with your passkey</a>
      ) : roleNeedsPasskey ? (
        'Add one below to continue. It can be your fingerprint, your face, the lock of your device or a security key.'
      ) : (
        <a href="/account">add one</a>
      )}
      {roleNeedsPasskey ? null : (
        <>
          {' '}
          <Button label="Remind me tomorrow" className="quiet small" onClick={hide} />
        </>
      )}
    </p>
  );
}

/** Shows a page of moderators or administrators, unless their role first needs a passkey. */
export function RoleGate({ children }: { children: ReactNode }) {
  const { roleNeedsPasskey, passkeys } = useSignedIn();
  if (!roleNeedsPasskey)
    return (
      <>
        <RolePasskey />
        {children}
      </>
    );
  return (
    <>
      <h1>Your role needs a passkey</h1>
      {passkeys.length === 0 ? <Passkeys /> : <RolePasskey />}
    </>
  );
}

export function Passkeys() {
  const { passkeys, csrf } = useSignedIn();
  const request = async (data: FormData) => {
    const credential = await createPasskey(csrf).catch((error: unknown) => {
      throw readableError(error);
    });
    return apiRequest('POST /api/people/me/passkeys', { json: { label: textOf(data, 'label'), credential } });
  };
  return (
    <Card
      title="Passkeys"
      lead="Sign in with your fingerprint, your face or the lock of your device instead of a password."
    >
      <RolePasskey />
      <Rows of={passkeys}>
        {({ id, label, createdAt, lastUsedAt }) => (
          <li key={id}>
            <div>
              {label}
              <p className="soft">
                added {day(createdAt)},{' '}
                {lastUsedAt === null ? 'not used yet' : `last used ${day(lastUsedAt)}`}
              </p>
            </div>
            <ChangeButton
              label="Remove"
              sure="Remove this passkey?"
              request={() => apiRequest('DELETE /api/people/me/passkeys/:id', { params: { id } })}
            />
          </li>
        )}
      </Rows>
      <ChangeForm action="Add a passkey" tone="plain" request={request}>
        <Field
          label="Name of the new passkey"
          hint="For example: my phone"
          name="label"
          required
          maxLength={60}
        />
      </ChangeForm>
    </Card>
  );
}
