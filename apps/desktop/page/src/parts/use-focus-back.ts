import { focusHeading } from '@svc/ui';
import { useLayoutEffect, useRef } from 'react';

/**
 * Keeps the place of keyboard users when an element that has the focus goes away: the focus moves to the next card that waits, else to the
 * message field, else to the heading of the page. After a press it stays where it is: a message field that has the focus takes the next press
 * on an app's page, which could be typing to the page.
 * @param first selector of an element that comes before these
 * @returns the ref of the element
 */
export function useFocusBack<E extends HTMLElement>(first?: string) {
  const place = useRef<E>(null);
  useLayoutEffect(() => {
    const shown = place.current;
    return () => {
      if (!shown?.contains(document.activeElement) || !document.activeElement?.matches(':focus-visible'))
        return;
      // After the render that removes it.
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return;
        const next = [first, '.inline-card', '.composer textarea'].map((one) =>
          one === undefined ? null : document.querySelector<HTMLElement>(one),
        );
        next.find((one) => one !== null)?.focus();
        focusHeading();
      });
    };
  }, [first]);
  return place;
}
