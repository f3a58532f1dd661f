import type { ErrorCode, ErrorEnvelope, Issue } from '@svc/contracts';
import type { UploadEnd } from './upload.ts';
import { WORDS } from './words.ts';

/** Why an upload came to nothing, and what to do about it. */
export type UploadError = {
  readonly say: string;
  /** Whether the same bundle may be sent again. */
  readonly again: boolean;
  /** Seconds to wait before that. */
  readonly wait: number;
  /** Whether one must sign in before that. */
  readonly signIn: boolean;
  readonly issues: readonly Issue[];
};

const { uploadError: words } = WORDS;

/** How long to wait where the store did not say. */
const USUAL_WAIT_SECONDS = 10;

const uploadError = (say: string, more: Partial<UploadError> = {}): UploadError => ({
  ...{ say, again: false, wait: 0, signIn: false, issues: [] },
  ...more,
});

type Say = (envelope: ErrorEnvelope, version: string) => UploadError;

const waiting =
  (say: string): Say =>
  ({ retryAfter }) =>
    uploadError(say, { again: true, wait: retryAfter ?? USUAL_WAIT_SECONDS });

const found: Say = ({ issues }) => uploadError(words.findings, { issues: issues ?? [] });

/** What is said of a code in words of this page; of others the store's own sentence says what to do. */
const BY_CODE: { readonly [code in ErrorCode]?: Say } = {
  unauthorized: () => uploadError(words.signedOut, { again: true, signIn: true }),
  forbidden: () => uploadError(words.stale, { again: true }),
  bundle_too_large: () => uploadError(words.tooLarge),
  version_not_greater: ({ latest }, version) => uploadError(words.notGreater(version, latest ?? '')),
  validation_failed: found,
  invalid_bundle: found,
  rate_limited: waiting(words.tooMany),
  unavailable: waiting(words.busy),
  internal: ({ requestId }) => uploadError(words.failed(requestId), { again: true }),
};

/**
 * What to tell the sender of a bundle that was not taken.
 * @param version the one they sent
 */
export function uploadErrorOf(end: Exclude<UploadEnd, { end: 'taken' }>, version: string): UploadError {
  if (end.end === 'cancelled') return uploadError(words.cancelled, { again: true });
  if (end.end === 'lost') return uploadError(words.lost, { again: true });
  const { envelope, status } = end;
  // A proxy in between says that it is too large, or busy, without the store's words.
  if (!envelope)
    return uploadError(status === 413 ? words.tooLarge : words.strange(status), { again: status !== 413 });
  return BY_CODE[envelope.code]?.(envelope, version) ?? uploadError(envelope.message);
}
