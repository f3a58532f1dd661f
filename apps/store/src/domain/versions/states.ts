import type { VersionState } from '@svc/contracts';

/** Every move a version can make. Whatever is not here does not compile, and cannot happen. */
export const TRANSITIONS = {
  submitted: ['checking'],
  checking: ['approved', 'in_review'],
  in_review: ['approved', 'rejected'],
  approved: ['published'],
  rejected: [],
  published: ['yanked'],
  yanked: ['published'],
} as const satisfies Record<VersionState, readonly VersionState[]>;

/** One move of the table. */
export type Transition = {
  [From in VersionState]: { from: From; to: (typeof TRANSITIONS)[From][number] };
}[VersionState];
