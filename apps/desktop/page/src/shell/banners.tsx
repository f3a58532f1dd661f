import { useEffect, useState } from 'react';
import { useHear, useLive, useLiveState } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const SAY = WORDS.connection;

/** Seconds until a moment, told anew each second. */
function useSecondsTo(moment: number | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (moment === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [moment]);
  return Math.max(0, Math.ceil(((moment ?? now) - now) / 1_000));
}

/** Leads to a sign-in for which the desktop could open no browser itself. */
export function SignInBanner() {
  const [url, setUrl] = useState<string | null>(null);
  useHear((event) => {
    if (event.type === 'open-page') setUrl(webAddress(event.url));
    if (event.type === 'runtime' && event.event.type === 'account-connected') setUrl(null);
  });
  if (url === null) return null;
  return (
    <div className="banner">
      <span role="status">{SAY.signIn}</span>
      <a className="button" href={url} target="_blank" rel="noopener noreferrer">
        {SAY.openSignIn}
      </a>
      <button type="button" onClick={() => setUrl(null)}>
        {WORDS.close}
      </button>
    </div>
  );
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
      <span role="status">{SAY.lost}</span>
      <span>{retryAt === null ? SAY.retrying : SAY.retryIn(seconds)}</span>
      <button type="button" onClick={() => live.retry()} disabled={retryAt === null}>
        {SAY.retryNow}
      </button>
    </div>
  );
}
