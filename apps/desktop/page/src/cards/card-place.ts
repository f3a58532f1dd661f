import { useEffect } from 'react';
import { useFocusBack } from '../parts/use-focus-back.ts';

/** Space between a card and the edges of its thread, in pixels: that of `scroll-margin-block`. */
const MARGIN = 8;

/** How long a card waits before it moves into view by itself, in milliseconds: the thread may be scrolling to its end. */
const SETTLE_MS = 120;

/** The card that was asked last. */
let newest: HTMLElement | null = null;

/** Brings a card into view when it appears, and passes its focus on when it is answered. */
export function useCardPlace() {
  const place = useFocusBack<HTMLElement>();
  useEffect(() => {
    newest = place.current;
    const show = () => place.current?.scrollIntoView({ block: 'nearest' });
    const timer = setTimeout(show, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [place]);
  return place;
}

/**
 * Where the end of a thread is: its lower end, or higher if the card that waits would otherwise begin above the view.
 * @param end the offset at which the lower end is in view
 */
export function endOfThread(end: number, { scrollElement: thread }: { scrollElement: HTMLElement }): number {
  const card =
    newest && thread.contains(newest) ? newest : [...thread.querySelectorAll('.inline-card')].at(-1);
  if (!card) return end;
  const top = card.getBoundingClientRect().top - thread.getBoundingClientRect().top + thread.scrollTop;
  return Math.min(end, top - MARGIN);
}
