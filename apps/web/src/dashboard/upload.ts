import type { ErrorEnvelope, PublishResult } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { isObject } from '@svc/contracts/is-object';
import { isEnvelope } from '../account/api.ts';

export type UploadEnd =
  | { readonly end: 'accepted'; readonly result: PublishResult }
  /** The store or a proxy refused the bundle; without an envelope the reason is unknown. */
  | { readonly end: 'refused'; readonly status: number; readonly envelope: ErrorEnvelope | undefined }
  | { readonly end: 'lost' }
  | { readonly end: 'cancelled' };

const isResult = (value: unknown): value is PublishResult =>
  isObject(value) && 'appId' in value && 'version' in value;

/** Interprets a response. Only a 201 with a publish result counts as accepted: a proxy may answer 2xx too. */
function endOf(status: number, body: unknown): UploadEnd {
  if (status === 201 && isResult(body)) return { end: 'accepted', result: body };
  return { end: 'refused', status, envelope: isEnvelope(body) ? body : undefined };
}

/**
 * Uploads a bundle as the signed-in user. Uses XMLHttpRequest, since fetch does not report upload progress.
 * @param csrf the CSRF token of the session
 * @param onProgress receives the number of bytes sent so far
 * @param signal cancels the upload
 */
export function uploadBundle(
  csrf: string,
  bundle: Blob,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<UploadEnd> {
  const request = new XMLHttpRequest();
  return new Promise<UploadEnd>((resolve) => {
    if (signal.aborted) {
      resolve({ end: 'cancelled' });
      return;
    }
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(endOf(request.status, request.response));
    request.onerror = () => resolve({ end: 'lost' });
    request.ontimeout = () => resolve({ end: 'lost' });
    request.onabort = () => resolve({ end: 'cancelled' });
    // Null for what is not JSON.
    request.responseType = 'json';
    request.open('POST', apiRequest('POST /api/apps/publish').path);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', 'application/zip');
    request.setRequestHeader('X-Svc-Csrf', csrf);
    request.send(bundle);
  });
}
