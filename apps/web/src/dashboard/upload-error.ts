import type { ErrorCode, ErrorEnvelope, Issue } from '@svc/contracts';
import type { UploadEnd } from './upload.ts';
import { WORDS } from './words.ts';

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

const { uploadError: words } = WORDS;

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

const withFindings: ToUploadError = ({ issues }) => uploadError(words.findings, { issues: issues ?? [] });

/** The codes that this page has its own text for; for others it shows the store's message. */
const BY_CODE: { readonly [code in ErrorCode]?: ToUploadError } = {
  unauthorized: () => uploadError(words.signedOut, { canRetry: true, signIn: true }),
  forbidden: () => uploadError(words.stale, { canRetry: true }),
  bundle_too_large: () => uploadError(words.tooLarge),
  version_not_greater: ({ latest }, version) => uploadError(words.notGreater(version, latest ?? '')),
  validation_failed: withFindings,
  invalid_bundle: withFindings,
  rate_limited: waiting(words.tooMany),
  unavailable: waiting(words.busy),
  internal: ({ requestId }) => uploadError(words.failed(requestId), { canRetry: true }),
};

/**
 * Explains why an upload failed.
 * @param version the version that was sent
 */
export function uploadErrorOf(end: Exclude<UploadEnd, { end: 'accepted' }>, version: string): UploadError {
  if (end.end === 'cancelled') return uploadError(words.cancelled, { canRetry: true });
  if (end.end === 'lost') return uploadError(words.lost, { canRetry: true });
  const { envelope, status } = end;
  // A proxy may refuse the upload as too large, or as busy, without an error envelope.
  if (!envelope)
    return uploadError(status === 413 ? words.tooLarge : words.unexplained(status), {
      canRetry: status !== 413,
    });
  return BY_CODE[envelope.code]?.(envelope, version) ?? uploadError(envelope.message);
}
