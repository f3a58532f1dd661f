import { useEffect, useState } from 'react';

/** Seconds until a moment, updated each second. @param moment in milliseconds since the epoch */
export function useSecondsTo(moment: number | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (moment === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [moment]);
  return Math.max(0, Math.ceil(((moment ?? now) - now) / 1_000));
}
