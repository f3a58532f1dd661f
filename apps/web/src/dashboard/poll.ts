import type { VersionState } from '@svc/contracts';

const FIRST_MS = 1_500;
const GROWTH = 1.4;
const MAX_MS = 30_000;

/** How long to wait before the next look at what moves by itself, in milliseconds: longer each time, up to half a minute. */
export const pollDelay = (looks: number): number => Math.min(MAX_MS, FIRST_MS * GROWTH ** looks);

/** Whether a version will move on without its developer. */
export const isMoving = (state: VersionState): boolean =>
  state === 'submitted' || state === 'checking' || state === 'in_review' || state === 'approved';
