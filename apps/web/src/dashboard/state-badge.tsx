import type { VersionState } from '@svc/contracts';

/** Names of the states of a version. */
export const STATE_WORDS: Readonly<Record<VersionState, string>> = {
  submitted: 'uploaded',
  checking: 'being checked',
  in_review: 'in review',
  approved: 'approved',
  rejected: 'rejected',
  published: 'published',
  yanked: 'yanked',
};

const LOOKS: { readonly [state in VersionState]?: string } = {
  published: 'badge good',
  rejected: 'badge fault',
  yanked: 'badge fault',
};

/** The state of a version as a badge. */
export const StateBadge = ({ state, retracted = false }: { state: VersionState; retracted?: boolean }) =>
  retracted ? (
    <span className="badge">retracted</span>
  ) : (
    <span className={LOOKS[state] ?? 'badge'}>{STATE_WORDS[state]}</span>
  );
