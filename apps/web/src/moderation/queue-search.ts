const KEY = 'svc-desk-search';

/** The filters of the queue as this tab last showed it, as the query of its address. */
export const queueSearch = (): string => window.sessionStorage.getItem(KEY) ?? '';

/** Remembers the filters of the queue for the pages of its versions. */
export const keepQueueSearch = (search: string): void => window.sessionStorage.setItem(KEY, search);
