import { useEffect } from 'react';

/** The title in the HTML of the page: its area, and the name of the store. */
const AREA = document.title;

/** Sets the document title: the content first, then the area, since browser tabs cut off the end. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? AREA : `${title} · ${AREA}`;
  }, [title]);
}
