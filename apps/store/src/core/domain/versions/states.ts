import type { VersionState } from '@svc/contracts';

/** All transitions of a version. Any other transition does not compile. */
export const TRANSITIONS = {
  submitted: ['checking'],
  checking: ['approved', 'in_review'],
  in_review: ['approved', 'rejected'],
  approved: ['published'],
  rejected: ['in_review'],
  published: ['yanked'],
  yanked: ['published'],
} as const satisfies Record<VersionState, readonly VersionState[]>;

/** The note of a version that its publisher retracted. */
export const RETRACTED = 'withdrawn';

/** One transition of the table. */
export type Transition = {
  [From in VersionState]: { from: From; to: (typeof TRANSITIONS)[From][number] };
}[VersionState];
