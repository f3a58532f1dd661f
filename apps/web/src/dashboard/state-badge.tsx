import type { VersionState } from '@svc/contracts';
import { STATE_WORDS } from './words.ts';

const LOOKS: { readonly [state in VersionState]?: string } = {
  published: 'badge good',
  rejected: 'badge fault',
  yanked: 'badge fault',
};

/** Where a version stands, in a word. */
export const StateBadge = ({ state }: { state: VersionState }) => (
  <span className={LOOKS[state] ?? 'badge'}>{STATE_WORDS[state]}</span>
);
