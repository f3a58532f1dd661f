import type { VersionState } from '@svc/contracts';

const FIRST_MS = 1_500;
const GROWTH = 1.4;
const MAX_MS = 30_000;

/** The delay before the next poll, in milliseconds: exponential backoff up to 30 seconds. */
export const pollDelay = (polls: number): number => Math.min(MAX_MS, FIRST_MS * GROWTH ** polls);

/** Whether a version will change state without action by its publisher. */
export const isMoving = (state: VersionState): boolean =>
  state === 'submitted' || state === 'checking' || state === 'in_review' || state === 'approved';
