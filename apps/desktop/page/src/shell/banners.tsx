import { useEffect, useState } from 'react';
import { useLive, useLiveState } from '../wire/use-desktop.ts';
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
