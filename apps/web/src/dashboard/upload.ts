import type { ErrorEnvelope, PublishResult } from '@svc/contracts';

/** What came of sending a bundle. */
export type UploadEnd =
  | { readonly end: 'taken'; readonly result: PublishResult }
  /** The store said no; without an envelope when something in between did, or the store did not say why. */
  | { readonly end: 'refused'; readonly status: number; readonly envelope: ErrorEnvelope | undefined }
  | { readonly end: 'lost' }
  | { readonly end: 'cancelled' };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isEnvelope = (value: unknown): value is ErrorEnvelope =>
  isObject(value) && 'code' in value && 'message' in value;

const isResult = (value: unknown): value is PublishResult =>
  isObject(value) && 'appId' in value && 'version' in value;

/** An answer, read; what says yes without being the store's yes is no yes. */
function endOf(status: number, text: string): UploadEnd {
  const body = parsed(text);
  if (status === 201 && isResult(body)) return { end: 'taken', result: body };
  return { end: 'refused', status, envelope: isEnvelope(body) ? body : undefined };
}

/**
 * Sends a bundle in the name of the person who is signed in. By XMLHttpRequest, since fetch does not tell how far an upload is.
 * @param csrf the token that shows that one of the store's own pages asks
 * @param onProgress told how many bytes of the bundle have left
 * @param signal stops it
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
    request.onload = () => resolve(endOf(request.status, request.responseText));
    request.onerror = () => resolve({ end: 'lost' });
    request.ontimeout = () => resolve({ end: 'lost' });
    request.onabort = () => resolve({ end: 'cancelled' });
    request.open('POST', '/api/apps/publish');
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', 'application/zip');
    request.setRequestHeader('X-Svc-Csrf', csrf);
    request.send(bundle);
  });
}
