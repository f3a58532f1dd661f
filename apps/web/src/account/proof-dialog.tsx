import type { Me } from '@svc/contracts';
import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { Button, Dialog, DialogButtons, Field, Loaded, OutsideLink, TabNav } from '@svc/ui';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { askForNeeds, leaveToSignIn, type Need, readOnce, send } from './api.ts';
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

const sendProof = (csrf: string, json: BodyOf<'POST /api/people/me/proof'>) =>
  send(csrf, apiRequest('POST /api/people/me/proof', { json }));

type Waiting = { need: Need; given(csrf: string): void; leave(): void };

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

/** What proves the identity of the user: the password that they typed, a passkey, or a new sign-in with a provider in another tab. */
function useProof(me: Me, given: Waiting['given']) {
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (work: () => Promise<string>) => work(),
    onSuccess: given,
  });
  const hasSignedIn = password === '' && me.identities.length > 0;
  return {
    error,
    password,
    setPassword,
    /** Why *Continue* does nothing now. */
    why: isPending ? '' : password === '' && !hasSignedIn ? 'Enter your password first.' : null,
    proceed: () =>
      mutate(async () => {
        if (hasSignedIn) return currentToken(me, queries);
        await sendProof(me.csrf, { password });
        return me.csrf;
      }),
    usePasskey: () =>
      mutate(async () => {
        await provePasskey(me.csrf);
        return me.csrf;
      }),
  };
}

/** The dialog that proves the identity of the user, with each way to sign in that they have. */
function ProofDialog({ me, waiting: { given, leave } }: { me: Me; waiting: Waiting }) {
  const { error, password, setPassword, why, proceed, usePasskey } = useProof(me, given);
  const canContinue = me.hasPassword || me.identities.length > 0;
  const passkey = me.passkeys.length > 0 && (
    <Button
      label="Use a passkey"
      className={canContinue ? '' : 'main'}
      runs={{ isPending: why === '' }}
      onClick={usePasskey}
    />
  );
  return (
    <Dialog
      title="Confirm that it is you"
      leave={leave}
      error={error}
      focusField
      buttons={
        canContinue ? (
          <DialogButtons yes="Continue" why={why} another={passkey} act={proceed} leave={leave} />
        ) : (
          <>
            {passkey}
            <Button label="Cancel" onClick={leave} />
          </>
        )
      }
    >
      <p className="soft">
        This change needs a proof that is at most ten minutes old. What you started continues afterwards.
      </p>
      {me.hasPassword ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (why === null) proceed();
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
            <OutsideLink
              key={id}
              label={`Sign in again with ${label} in a new tab`}
              href={`/sign-in/${id}?next=/account`}
            />
          ))}
        </p>
      ) : null}
    </Dialog>
  );
}

const ME = apiRequest('GET /api/people/me');

/** The CSRF token of the session that this browser has now. The page of another user has nothing of this one, and starts again. */
async function currentToken(me: Me, queries: QueryClient): Promise<string> {
  const now = await readOnce(ME);
  if (now.id !== me.id) {
    window.location.reload();
    // What one user entered is never sent as another one.
    return new Promise(() => {});
  }
  queries.setQueryData([ME.path], now);
  return now.csrf;
}

/** The dialog over a page whose session has ended. What the user entered stays on the page, and is sent once they are back. */
function SessionDialog({ me, waiting: { given, leave } }: { me: Me; waiting: Waiting }) {
  const queries = useQueryClient();
  const {
    mutate: resume,
    isPending,
    error,
  } = useMutation({
    mutationFn: () => currentToken(me, queries),
    onSuccess: given,
  });
  return (
    <Dialog
      title="Your session has ended"
      error={error}
      leave={leave}
      buttons={
        <DialogButtons
          yes="Continue"
          no="Leave this page"
          why={isPending ? '' : null}
          act={() => resume()}
          leave={leaveToSignIn}
        />
      }
    >
      <p>
        What you entered is still on this page.{' '}
        <OutsideLink label="Sign in in a new tab" href="/sign-in?next=/account" />, and continue here.
      </p>
    </Dialog>
  );
}

/** Provides the signed-in user to a page, and asks for a new session or a proof of identity when the store needs one. */
function SignedInPage({ me, children }: { me: Me; children: ReactNode }) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const queries = useQueryClient();
  useEffect(
    () =>
      askForNeeds(async (need) => {
        if (need === 'token') {
          const token = await currentToken(me, queries).catch(() => me.csrf);
          return token === me.csrf ? null : token;
        }
        return new Promise((resolve) => {
          const given = (csrf: string | null) => {
            setWaiting(null);
            resolve(csrf);
          };
          setWaiting({ need, given, leave: () => given(null) });
        });
      }),
    [me, queries],
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
      {waiting?.need === 'session' ? <SessionDialog me={me} waiting={waiting} /> : null}
      {waiting?.need === 'proof' ? <ProofDialog me={me} waiting={waiting} /> : null}
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
          {(data) => (
            // Another user who signed in meanwhile starts with empty fields.
            <SignedInPage key={data.id} me={data}>
              {children}
            </SignedInPage>
          )}
        </Loaded>
      </main>
    </>
  );
}
