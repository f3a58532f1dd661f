import type { Me } from '@svc/contracts';
import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { Dialog, DialogButtons, ErrorMessage, Field, Loaded, TabNav } from '@svc/ui';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { askForProof, send } from './api.ts';
import { initialsOf } from './parts.tsx';
import { SignedIn, useMe } from './use-store.ts';

/** The name of the store, after the name of the application in the HTML of the page. */
const STORE = document.title.split(' · ').slice(1).join(' · ');

/** Sets the document title: the content first, then the area and the store, since browser tabs cut off the end. */
function useTitle(title: string, area: string): void {
  useEffect(() => {
    document.title = [title, area, STORE].filter(Boolean).join(' · ');
  }, [title, area]);
}

/** Sends a proof of identity. */
const sendProof = (csrf: string, json: BodyOf<'POST /api/people/me/proof'>) =>
  send(csrf, apiRequest('POST /api/people/me/proof', { json }));

/** A request that waits for a proof of identity. */
type Waiting = { proved(): void; leave(): void };

/** Asks for a passkey of the user, and sends its assertion. */
async function provePasskey(csrf: string): Promise<void> {
  const options = await send(csrf, apiRequest('POST /api/people/me/proof/options'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (credential === null) throw new Error('No passkey was used: the request was cancelled or timed out.');
  await sendProof(csrf, { credential: (credential as PublicKeyCredential).toJSON() as never });
}

/** The dialog that proves the identity of the user, with each way to sign in that they have. */
function ProofDialog({ me, waiting: { proved, leave } }: { me: Me; waiting: Waiting }) {
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const prove = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      proved();
    } catch (failure) {
      setError(failure as Error);
    }
    setBusy(false);
  };
  const byPassword = () => prove(() => sendProof(me.csrf, { password }));
  const usePasskey = (
    <button
      type="button"
      className={me.hasPassword ? '' : 'main'}
      disabled={busy}
      onClick={() => prove(() => provePasskey(me.csrf))}
    >
      Use a passkey
    </button>
  );
  const cancel = (
    <button type="button" onClick={leave}>
      Cancel
    </button>
  );
  const next = window.location.pathname;
  return (
    <Dialog
      title="Confirm that it is you"
      leave={leave}
      focusField
      buttons={
        me.hasPassword ? (
          <DialogButtons
            yes="Continue"
            canAct={!busy && password !== ''}
            another={me.passkeys.length > 0 ? usePasskey : null}
            act={byPassword}
            leave={leave}
          />
        ) : (
          <>
            {me.passkeys.length > 0 ? usePasskey : null}
            {cancel}
          </>
        )
      }
    >
      <p className="soft">
        A change to who has access needs a proof that is at most ten minutes old. What you started continues
        afterwards.
      </p>
      {me.hasPassword ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && password !== '') byPassword();
          }}
        >
          <input type="hidden" name="username" autoComplete="username" value={me.email ?? me.name} readOnly />
          <Field
            label="Password"
            name="password"
            type="password"
            required
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </form>
      ) : null}
      {me.identities.length > 0 ? (
        <p className="buttons">
          {me.providers.map(({ id, label }) => (
            <a key={id} className="button" href={`/sign-in/${id}?${new URLSearchParams({ next })}`}>
              Sign in again with {label}
            </a>
          ))}
        </p>
      ) : null}
      <ErrorMessage error={error} />
    </Dialog>
  );
}

/** Provides the signed-in user to a page, and asks for a proof of identity when the store needs one for a change. */
function SignedInPage({ me, children }: { me: Me; children: ReactNode }) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  useEffect(
    () =>
      askForProof(
        () =>
          new Promise<boolean>((resolve) => {
            const end = (isProved: boolean) => () => {
              setWaiting(null);
              resolve(isProved);
            };
            setWaiting({ proved: end(true), leave: end(false) });
          }),
      ),
    [],
  );
  // The menu of the header, which the store renders for everyone, shows whose it is.
  useEffect(() => {
    const avatar = document.querySelector('.shell .avatar');
    if (!avatar) return;
    const initials = initialsOf(me.name);
    avatar.textContent = initials;
    avatar.ariaLabel = `${initials}: Account and theme`;
  }, [me.name]);
  return (
    <SignedIn value={me}>
      {children}
      {waiting === null ? null : <ProofDialog me={me} waiting={waiting} />}
    </SignedIn>
  );
}

type Tabs = Pick<ComponentProps<typeof TabNav>, 'tabs' | 'current'>;

/** The pages above one with tabs of its own, outermost first. */
export type Trail = Tabs['tabs'];

/** A page of an area of the signed-in user: the tabs of the area or the way to the page, and the view below. */
export function AreaPage({
  area,
  title,
  tabs,
  current,
  trail = [],
  children,
}: Tabs & {
  area: string;
  title: string;
  trail?: Trail;
  children: ReactNode;
}) {
  const me = useMe();
  useTitle(title, area);
  return (
    <>
      {trail.length === 0 ? (
        <TabNav label={area} tabs={tabs} current={current} />
      ) : (
        <nav aria-label={area}>
          <ol className="crumbs">
            {trail.map(({ path, label }) => (
              <li key={path}>
                <a href={path}>{label}</a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <main id="content">
        <Loaded query={me} page={area}>
          {(data) => <SignedInPage me={data}>{children}</SignedInPage>}
        </Loaded>
      </main>
    </>
  );
}
