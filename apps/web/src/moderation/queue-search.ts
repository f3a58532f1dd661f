const KEY = 'svc-desk-search';

/** The filters that this tab last showed the queue with, as a query string. */
export const queueSearch = (): string => window.sessionStorage.getItem(KEY) ?? '';

/** Remembers the filters of the queue for the review pages. */
export const keepQueueSearch = (search: string): void => window.sessionStorage.setItem(KEY, search);
