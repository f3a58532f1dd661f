import { visible } from '@svc/text';
import { Button, ErrorMessage, OutsideLink } from '@svc/ui';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { SignInView } from '../../../src/wire/views.ts';
import { Banner } from '../parts/parts.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { useDesktopEvents, useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

type SignInKey = Pick<SignInView, 'appId' | 'accountId'>;

/** A sign-in in progress. `url`: its page, if the desktop could not open a browser itself. */
export type SignIn = SignInView & { url: string | null };

const keyOf = ({ appId, accountId }: SignInKey): string => `${appId} ${accountId}`;

type Shared = {
  all: readonly SignIn[];
  /** The sign-ins that rows of tool calls show. */
  inRows: ReadonlySet<string>;
  /** Adds one to those until the returned function is called. */
  show(key: string): () => void;
};

const SignIns = createContext<Shared>({ all: [], inRows: new Set(), show: () => () => undefined });

/** The URL if it is http or https; null for schemes such as `javascript:`. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  return url && ['https:', 'http:'].includes(url.protocol) ? url.href : null;
}

/** Follows the sign-ins in progress, for the banner and for the rows of tool calls that wait for one. */
export function WithSignIns({ children }: { children: ReactNode }) {
  const [urls, setUrls] = useState<ReadonlyMap<string, string | null>>(new Map());
  const [rows, setRows] = useState<readonly string[]>([]);
  const signIns = useDesktopQuery('accounts.signIns', {}).data?.signIns;
  useDesktopEvents((event) => {
    if (event.type !== 'open-page') return;
    const url = webAddress(event.url);
    setUrls((before) => new Map(before).set(keyOf(event), url));
  });
  // With its banner or row, not before it: the link may have the focus.
  useEffect(() => {
    const keys = new Set(signIns?.map(keyOf));
    if (signIns) setUrls((before) => new Map([...before].filter(([key]) => keys.has(key))));
  }, [signIns]);
  const show = useCallback((key: string) => {
    setRows((before) => [...before, key]);
    return () => setRows((before) => before.toSpliced(before.indexOf(key), 1));
  }, []);
  const shared = useMemo(
    () => ({
      all: signIns?.map((signIn) => ({ ...signIn, url: urls.get(keyOf(signIn)) ?? null })) ?? [],
      inRows: new Set(rows),
      show,
    }),
    [signIns, urls, rows, show],
  );
  return <SignIns value={shared}>{children}</SignIns>;
}

/** The sign-ins in progress. */
export const useSignIns = (): readonly SignIn[] => useContext(SignIns).all;

/** The sign-in of an app that a row shows, so that the banner need not. @param isWanted whether the row waits for one */
export function useSignInOf(appId: string | null, isWanted: boolean): SignIn | null {
  const { all, show } = useContext(SignIns);
  const signIn = isWanted ? (all.find((one) => one.appId === appId) ?? null) : null;
  const key = signIn && keyOf(signIn);
  useEffect(() => (key === null ? undefined : show(key)), [key, show]);
  return signIn;
}

/** The button that opens the page of a sign-in. */
export function OpenSignIn({ signIn: { appId, accountId, url } }: { signIn: SignIn }) {
  const reopen = useDesktopMutation('accounts.reopen');
  return (
    <span className="cluster" ref={useFocusBack<HTMLSpanElement>()}>
      {url === null ? (
        <Button label="Reopen sign-in page" onClick={() => reopen.mutate({ appId, accountId })} />
      ) : (
        <OutsideLink label="Open sign-in page" className="button" href={url} />
      )}
      <ErrorMessage error={reopen.error} />
    </span>
  );
}

/** A sign-in in progress, with buttons that reopen its page or cancel it. */
function WaitingSignIn({ signIn }: { signIn: SignIn }) {
  const { appId, accountId, app, label, digits } = signIn;
  const cancel = useDesktopMutation('accounts.cancel');
  return (
    <Banner ref={useFocusBack<HTMLDivElement>()}>
      <span role="status">
        {label === app
          ? `Finish signing in to ${visible(app)}.`
          : `Finish signing in to ${visible(label)} for ${visible(app)}.`}
        {digits === null ? null : ` If the page in your browser asks for three digits, type ${digits}.`}
      </span>
      <OpenSignIn signIn={signIn} />
      <Button label="Cancel" onClick={() => cancel.mutate({ appId, accountId })} />
    </Banner>
  );
}

/** The sign-ins in progress, but for those in the rows of tool calls. */
export function SignInBanner() {
  const { all, inRows } = useContext(SignIns);
  return all
    .filter((signIn) => !inRows.has(keyOf(signIn)))
    .map((signIn) => <WaitingSignIn key={keyOf(signIn)} signIn={signIn} />);
}
