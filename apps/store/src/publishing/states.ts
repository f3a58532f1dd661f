import type { VersionState } from '@svc/contracts';

/** Every move a version can make. Whatever is not here cannot happen. */
export const TRANSITIONS = {
  submitted: ['checking'],
  checking: ['approved', 'in_review'],
  in_review: ['approved', 'rejected'],
  approved: ['published'],
  rejected: [],
  published: ['yanked'],
  yanked: [],
} as const satisfies Record<VersionState, readonly VersionState[]>;

/** Where a version can come from when it moves to a state. */
export const statesBefore = (to: VersionState): VersionState[] =>
  (Object.keys(TRANSITIONS) as VersionState[]).filter((from) =>
    (TRANSITIONS[from] as readonly VersionState[]).includes(to),
  );
