import { useState } from 'react';
import type { SignInView } from '../../../src/wire/views.ts';
import { ErrorMessage } from '../parts/parts.tsx';
import { useSecondsTo } from '../parts/use-seconds-to.ts';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation, useDesktopQuery, useHear, useLive, useLiveState } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.connection;

/** One sign-in that waits for the user: opened again where the tab is lost, or cancelled. */
function WaitingSignIn({ signIn, url }: { signIn: SignInView; url: string | null }) {
  const { appId, accountId, app, label } = signIn;
  const reopen = useDesktopMutation('accounts.reopen');
  const cancel = useDesktopMutation('accounts.cancel');
  return (
    <div className="banner">
      <span role="status">{MESSAGES.signIn(visible(label), visible(app))}</span>
      {url === null ? (
        <button type="button" onClick={() => reopen.mutate({ appId, accountId })}>
          {MESSAGES.openAgain}
        </button>
      ) : (
        <a className="button" href={url} target="_blank" rel="noopener noreferrer">
          {MESSAGES.openSignIn}
        </a>
      )}
      <button type="button" onClick={() => cancel.mutate({ appId, accountId })}>
        {WORDS.cancel}
      </button>
      <ErrorMessage error={reopen.error} />
    </div>
  );
}

type Whose = Pick<SignInView, 'appId' | 'accountId'>;

const keyOf = ({ appId, accountId }: Whose): string => `${appId} ${accountId}`;

/** The sign-ins that wait for the user. Where the desktop can open no browser itself, it sends the address here. */
export function SignInBanner() {
  const [urls, setUrls] = useState<ReadonlyMap<string, string | null>>(new Map());
  const waiting = useDesktopQuery('accounts.signIns', {});
  useHear((event) => {
    const set = (of: Whose, url: string | null) => setUrls((before) => new Map(before).set(keyOf(of), url));
    if (event.type === 'open-page') set(event, webAddress(event.url));
    if (event.type === 'runtime' && event.event.type === 'sign-in-ended') set(event.event, null);
  });
  const signIns = waiting.data?.signIns ?? [];
  return signIns.map((signIn) => (
    <WaitingSignIn key={keyOf(signIn)} signIn={signIn} url={urls.get(keyOf(signIn)) ?? null} />
  ));
}

/** An address of the web; null for one that would do something in this page. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  return url && ['https:', 'http:'].includes(url.protocol) ? url.href : null;
}

/** Says that the connection to the desktop is lost, and when it is tried again. */
export function ConnectionBanner() {
  const live = useLive();
  const { connection, retryAt } = useLiveState();
  const seconds = useSecondsTo(retryAt);
  if (connection !== 'lost') return null;
  return (
    <div className="banner">
      <span role="status">{MESSAGES.lost}</span>
      <span>{retryAt === null ? MESSAGES.retrying : MESSAGES.retryIn(seconds)}</span>
      <button type="button" onClick={() => live.retry()} disabled={retryAt === null}>
        {MESSAGES.retryNow}
      </button>
    </div>
  );
}
