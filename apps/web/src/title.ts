import { useEffect } from 'react';

/** The name of the store, after the name of the application in the HTML of the page. */
const STORE = document.title.split(' · ').slice(1).join(' · ');

/** Sets the document title: the content first, then the area and the store, since browser tabs cut off the end. */
export function useTitle(title: string, area: string): void {
  useEffect(() => {
    document.title = [title, area, STORE].filter(Boolean).join(' · ');
  }, [title, area]);
}
