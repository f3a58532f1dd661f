/**
 * Whether a response begins a download: it sends a file or its first part, or redirects to it. A 304 and later parts do not. Decided by
 * the response, as a requested range may have been ignored (RFC 9110 section 14.2).
 * @param method of the request; a HEAD is answered with the status of a GET
 */
export const beginsDownload = (method: string, { status, headers }: Response): boolean =>
  method === 'GET' &&
  (status === 200 ||
    status === 307 ||
    (status === 206 && (headers.get('content-range') ?? '').startsWith('bytes 0-')));
