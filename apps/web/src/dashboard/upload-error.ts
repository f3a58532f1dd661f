import type { ErrorCode, ErrorEnvelope, Issue } from '@svc/contracts';
import { unexplained } from '../account/api.ts';
import type { UploadEnd } from './upload.ts';

const TOO_LARGE =
  'The bundle is larger than 25 MiB. Make its pictures smaller, pack again, and drop the new bundle.';

/** Why an upload failed, and what to do about it. */
export type UploadError = {
  readonly message: string;
  /** Whether the same bundle may be sent again. */
  readonly canRetry: boolean;
  /** Seconds to wait before a retry. */
  readonly wait: number;
  /** Whether the user must sign in before a retry. */
  readonly signIn: boolean;
  readonly issues: readonly Issue[];
};

/** How long to wait when the store sends no `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 10;

const uploadError = (message: string, more: Partial<UploadError> = {}): UploadError => ({
  ...{ message, canRetry: false, wait: 0, signIn: false, issues: [] },
  ...more,
});

type ToUploadError = (envelope: ErrorEnvelope, version: string) => UploadError;

const waiting =
  (message: string): ToUploadError =>
  ({ retryAfter }) =>
    uploadError(message, { canRetry: true, wait: retryAfter ?? DEFAULT_WAIT_SECONDS });

const withFindings: ToUploadError = ({ issues }) =>
  uploadError(
    'The store found problems that the checks here did not. Fix them, pack again, and drop the new bundle.',
    { issues: issues ?? [] },
  );

/** The codes that this page has its own text for; for others it shows the store's message. */
const BY_CODE: { readonly [code in ErrorCode]?: ToUploadError } = {
  unauthorized: () =>
    uploadError('You are signed out. The bundle is still here: sign in in a new tab, then retry.', {
      canRetry: true,
      signIn: true,
    }),
  forbidden: () =>
    uploadError('This page was open for too long. The bundle is still here: retry.', { canRetry: true }),
  bundle_too_large: () => uploadError(TOO_LARGE),
  version_not_greater: ({ latest }, version) =>
    uploadError(
      `Version ${version} is not greater than ${latest ?? ''}, which was already uploaded. Increase "version" in plugin.json, pack again, and drop the new bundle.`,
    ),
  validation_failed: withFindings,
  invalid_bundle: withFindings,
  rate_limited: waiting('Too many uploads in a short time. The bundle is still here: wait, then retry.'),
  unavailable: waiting('The store is unavailable. The bundle is still here: wait, then retry.'),
  internal: ({ requestId }) =>
    uploadError(
      `The store failed. The bundle is still here: retry. If it fails again, send the operator of the store this request id: ${requestId}`,
      { canRetry: true },
    ),
};

/**
 * Explains why an upload failed.
 * @param version the version that was sent
 */
export function uploadErrorOf(end: Exclude<UploadEnd, { end: 'accepted' }>, version: string): UploadError {
  if (end.end === 'cancelled')
    return uploadError('Upload cancelled. The bundle is still here.', { canRetry: true });
  if (end.end === 'lost')
    return uploadError('Connection lost. The bundle is still here: retry when you are online.', {
      canRetry: true,
    });
  const { envelope, status } = end;
  // A proxy may refuse the upload as too large, or as busy, without an error envelope.
  if (!envelope)
    return uploadError(status === 413 ? TOO_LARGE : `${unexplained(status)} The bundle is still here.`, {
      canRetry: status !== 413,
    });
  return BY_CODE[envelope.code]?.(envelope, version) ?? uploadError(envelope.message);
}
