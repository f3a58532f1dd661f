import { Button, ErrorMessage, Loaded, OutsideLink } from '@svc/ui';
import { useEffect } from 'react';
import { Banner } from '../parts/parts.tsx';
import { RefusedError } from '../wire/desktop-client.ts';
import { isStoreAway, useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

const codeOf = (error: Error): string => (error instanceof RefusedError ? error.code : '');

/** Signs in to a store that only members may read: a page of the store opens, where the user compares a code and approves. */
function SignIn({ retry }: { retry(): unknown }) {
  const session = useDesktopQuery('client.storeSession', {});
  const begin = useDesktopMutation('client.signIn');
  const cancel = useDesktopMutation('client.cancelSignIn');
  const by = session.data?.by ?? null;
  // The desktop reports the end of a sign-in, and the query reads the session again.
  useEffect(() => {
    if (by !== null) retry();
  }, [by, retry]);
  return (
    <Banner>
      <Loaded query={session}>
        {({ pending, fault }) =>
          pending ? (
            <>
              <span role="status">
                Approve on the page of the store, which shows the same code:{' '}
                <strong className="code">{pending.userCode}</strong>
              </span>
              <OutsideLink label="Open the page" className="button" href={pending.page} />
              <Button label="Cancel" onClick={() => cancel.mutate({})} />
            </>
          ) : (
            <>
              <span role="alert">{fault ?? 'Only members of this store may see its apps.'}</span>
              <Button label="Sign in" className="main" runs={begin} onClick={() => begin.mutate({})} />
            </>
          )
        }
      </Loaded>
      <ErrorMessage error={begin.error} />
    </Banner>
  );
}

/** Says that the store cannot be reached and that installed apps keep working, or offers to sign in. */
export function StoreFault({ error, retry }: { error: Error | null; retry(): unknown }) {
  if (!error) return null;
  if (codeOf(error) === 'sign-in-needed') return <SignIn retry={retry} />;
  return (
    <Banner>
      {isStoreAway(error) ? (
        <span role="alert">The store cannot be reached. Installed apps keep working.</span>
      ) : (
        <ErrorMessage error={error} />
      )}
      <Button label="Retry" onClick={() => retry()} />
    </Banner>
  );
}
