import { useEffect } from 'react';

/** What the page was called as it came: its area, and the name of the store. */
const AREA = document.title;

/** Calls the page by what it shows, before its area: tabs cut off the end. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? AREA : `${title} · ${AREA}`;
  }, [title]);
}
