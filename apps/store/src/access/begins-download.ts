/**
 * Whether an answer brings a file or the first part of it, or redirects to it: not that it has not changed, nor how it goes on.
 * Told from the answer, as what a client asked for may have been ignored (RFC 9110 section 14.2).
 * @param method of the request; a HEAD is answered with the status of a GET
 */
export const beginsDownload = (method: string, { status, headers }: Response): boolean =>
  method === 'GET' &&
  (status === 200 ||
    status === 307 ||
    (status === 206 && (headers.get('content-range') ?? '').startsWith('bytes 0-')));
