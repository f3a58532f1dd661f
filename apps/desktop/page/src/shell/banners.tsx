import { visible } from '@svc/text';
import { ErrorMessage } from '@svc/ui';
import { useState } from 'react';
import type { SignInView } from '../../../src/wire/views.ts';
import { useSecondsTo } from '../parts/use-seconds-to.ts';
import {
  useDesktopEvents,
  useDesktopMutation,
  useDesktopQuery,
  useLive,
  useLiveState,
} from '../wire/use-desktop.ts';

/** A sign-in in progress, with buttons that reopen its page or cancel it. */
function WaitingSignIn({ signIn, url }: { signIn: SignInView; url: string | null }) {
  const { appId, accountId, app, label, digits } = signIn;
  const reopen = useDesktopMutation('accounts.reopen');
  const cancel = useDesktopMutation('accounts.cancel');
  return (
    <div className="banner">
      <span role="status">
        {`Finish signing in to ${visible(label)} for ${visible(app)}.`}
        {digits === null ? null : ` If the page in your browser asks for three digits, type ${digits}.`}
      </span>
      {url === null ? (
        <button type="button" onClick={() => reopen.mutate({ appId, accountId })}>
          Reopen sign-in page
        </button>
      ) : (
        <a className="button" href={url} target="_blank" rel="noopener noreferrer">
          Open sign-in page
        </a>
      )}
      <button type="button" onClick={() => cancel.mutate({ appId, accountId })}>
        Cancel
      </button>
      <ErrorMessage error={reopen.error} />
    </div>
  );
}

type SignInKey = Pick<SignInView, 'appId' | 'accountId'>;

const keyOf = ({ appId, accountId }: SignInKey): string => `${appId} ${accountId}`;

/** The sign-ins in progress. If the desktop cannot open a browser itself, it sends the URL to this page. */
export function SignInBanner() {
  const [urls, setUrls] = useState<ReadonlyMap<string, string | null>>(new Map());
  const waiting = useDesktopQuery('accounts.signIns', {});
  useDesktopEvents((event) => {
    const set = (signIn: SignInKey, url: string | null) =>
      setUrls((before) => new Map(before).set(keyOf(signIn), url));
    if (event.type === 'open-page') set(event, webAddress(event.url));
    if (event.type === 'runtime' && event.event.type === 'sign-in-ended') set(event.event, null);
  });
  const signIns = waiting.data?.signIns ?? [];
  return signIns.map((signIn) => (
    <WaitingSignIn key={keyOf(signIn)} signIn={signIn} url={urls.get(keyOf(signIn)) ?? null} />
  ));
}

/** Says, until closed, that the key of the new vault is in a file beside it. */
export function KeyNotice() {
  const [file, setFile] = useState<string | null>(null);
  useDesktopEvents((event) => {
    if (event.type === 'runtime' && event.event.type === 'vault-key-in-file') setFile(event.event.file);
  });
  if (file === null) return null;
  return (
    <div className="banner">
      <span role="status">{`No keyring is available, so the key of your accounts is in the file ${visible(file)}, beside them. A program that reads that folder can use your accounts.`}</span>
      <button type="button" onClick={() => setFile(null)}>
        Close
      </button>
    </div>
  );
}

/** The URL if it is http or https; null for schemes such as `javascript:`. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  return url && ['https:', 'http:'].includes(url.protocol) ? url.href : null;
}

/** Says that the connection to the desktop is lost, and when the page reconnects. */
export function ConnectionBanner() {
  const live = useLive();
  const { connection, retryAt } = useLiveState();
  const seconds = useSecondsTo(retryAt);
  if (connection !== 'lost') return null;
  return (
    <div className="banner">
      <span role="status">Connection to svc desktop lost. This page may be out of date.</span>
      <span>{retryAt === null ? 'Retrying…' : `Retrying in ${seconds} s.`}</span>
      <button type="button" onClick={() => live.retry()} disabled={retryAt === null}>
        Retry now
      </button>
    </div>
  );
}
