import type { PermissionDiff } from '@svc/contracts';
import { WORDS } from '../words.ts';

const { kinds: KIND, ...SAY } = WORDS.reach;

/** One thing that an update reaches, or reaches no longer. */
export type ReachChange = { kind: string; what: string; about: string };

const all = (
  kind: string,
  names: readonly string[],
  about: (name: string) => string = () => '',
): ReachChange[] => names.map((what) => ({ kind, what, about: about(what) }));

const grant = (names: readonly string[]) => all(KIND.grant, names, (name) => WORDS.grants[name] ?? '');

const domain = (names: readonly string[]) =>
  all(KIND.domain, names, (name) => (name.startsWith('*.') ? SAY.anyBelow : ''));

/** Accounts come as ids, and as an id with a scope behind a colon. */
function accounts(entries: readonly string[]): ReachChange[] {
  return entries.map((entry) => {
    const [id = '', scope] = entry.split(/:(.*)/s);
    if (scope === undefined) return { kind: KIND.account, what: id, about: '' };
    return { kind: KIND.scope, what: scope, about: SAY.scopeOf(id) };
  });
}

/** Every way in which an update reaches more than what was agreed to. */
export const wider = (diff: PermissionDiff): ReachChange[] => [
  ...(diff.mcpUrlChanged ? [{ kind: KIND.mcp, what: '', about: SAY.mcp }] : []),
  ...all(KIND.endpoint, diff.authEndpointsChanged, () => SAY.endpoint),
  ...all(KIND.confirm, diff.confirmRemoved, () => SAY.confirmLost),
  ...domain(diff.domainsAdded),
  ...accounts(diff.accountsAdded),
  ...all(KIND.toolAccount, diff.toolAccountsChanged, () => SAY.toolAccount),
  ...grant(diff.grantsAdded),
  ...all(KIND.file, diff.fileParamsAdded),
  ...all(KIND.limit, diff.fileLimitsRaised, () => SAY.limit),
  ...all(KIND.requires, diff.requiresAdded),
  ...all(KIND.tool, diff.toolsAdded),
];

/** What it reaches no longer. */
export const narrower = (diff: PermissionDiff): ReachChange[] => [
  ...domain(diff.domainsRemoved),
  ...accounts(diff.accountsRemoved),
  ...grant(diff.grantsRemoved),
  ...all(KIND.file, diff.fileParamsRemoved),
  ...all(KIND.requires, diff.requiresRemoved),
  ...all(KIND.tool, diff.toolsRemoved),
];
