import type { VersionState } from '@svc/contracts';
import { RETRACTED, STATE_WORDS } from './words.ts';

const LOOKS: { readonly [state in VersionState]?: string } = {
  published: 'badge good',
  rejected: 'badge fault',
  yanked: 'badge fault',
};

/** The state of a version as a badge. */
export const StateBadge = ({ state, retracted = false }: { state: VersionState; retracted?: boolean }) =>
  retracted ? (
    <span className="badge">{RETRACTED}</span>
  ) : (
    <span className={LOOKS[state] ?? 'badge'}>{STATE_WORDS[state]}</span>
  );
