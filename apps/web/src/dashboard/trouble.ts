import type { ErrorCode, ErrorEnvelope, Issue } from '@svc/contracts';
import type { UploadEnd } from './upload.ts';
import { WORDS } from './words.ts';

/** Why an upload came to nothing, and what to do about it. */
export type Trouble = {
  readonly say: string;
  /** Whether the same bundle may be sent again. */
  readonly again: boolean;
  /** Seconds to wait before that. */
  readonly wait: number;
  /** Whether one must sign in before that. */
  readonly signIn: boolean;
  readonly issues: readonly Issue[];
};

const { trouble: words } = WORDS;

/** How long to wait where the store did not say. */
const USUAL_WAIT_SECONDS = 10;

const trouble = (say: string, more: Partial<Trouble> = {}): Trouble => ({
  ...{ say, again: false, wait: 0, signIn: false, issues: [] },
  ...more,
});

type Say = (envelope: ErrorEnvelope, version: string) => Trouble;

const waiting =
  (say: string): Say =>
  ({ retryAfter }) =>
    trouble(say, { again: true, wait: retryAfter ?? USUAL_WAIT_SECONDS });

const found: Say = ({ issues }) => trouble(words.findings, { issues: issues ?? [] });

/** What is said of a code in words of this page; of others the store's own sentence says what to do. */
const BY_CODE: { readonly [code in ErrorCode]?: Say } = {
  unauthorized: () => trouble(words.signedOut, { again: true, signIn: true }),
  forbidden: () => trouble(words.stale, { again: true }),
  bundle_too_large: () => trouble(words.tooLarge),
  version_not_greater: ({ latest }, version) => trouble(words.notGreater(version, latest ?? '')),
  validation_failed: found,
  invalid_bundle: found,
  rate_limited: waiting(words.tooMany),
  unavailable: waiting(words.busy),
  internal: ({ requestId }) => trouble(words.failed(requestId), { again: true }),
};

/**
 * What to tell whoever sent a bundle that was not taken.
 * @param version the one they sent
 */
export function troubleOf(end: Exclude<UploadEnd, { end: 'taken' }>, version: string): Trouble {
  if (end.end === 'cancelled') return trouble(words.cancelled, { again: true });
  if (end.end === 'lost') return trouble(words.lost, { again: true });
  const { envelope, status } = end;
  // A proxy in between says that it is too large, or busy, without the store's words.
  if (!envelope)
    return trouble(status === 413 ? words.tooLarge : words.strange(status), { again: status !== 413 });
  return BY_CODE[envelope.code]?.(envelope, version) ?? trouble(envelope.message);
}
