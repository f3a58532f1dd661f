import type { PermissionDiff, Reach } from '@svc/contracts';
import { visible } from '../visible.ts';
import { bytes, GRANT_WORDS, WORDS } from '../words.ts';

const { reach: SAY } = WORDS;
const { kinds: KIND } = SAY;

/** One thing that an update reaches, no longer reaches, or does otherwise. `what` is told apart from words about it. */
export type ReachChange = { readonly kind: string; readonly what: string; readonly about: string };

const change = (kind: string, what: string, about = ''): ReachChange => ({
  kind,
  what: visible(what),
  about: visible(about),
});

/** An entry of a list of accounts: the id of one, or an id and a scope behind a colon. */
function accountChange(reach: Reach | null, entry: string): ReachChange {
  const [id = '', scope] = entry.split(/:(.*)/s);
  if (scope !== undefined) return change(KIND.scope, scope, SAY.scopeOf(id));
  const where = reach?.endpoints.find(({ account }) => account === id);
  return change(KIND.account, id, where && SAY.signsIn(where.authorizeUrl, where.tokenUrl));
}

const grantChange = (grant: string) => change(KIND.grant, grant, GRANT_WORDS[grant]);

const domainChange = (domain: string) =>
  change(KIND.domain, domain, domain.startsWith('*.') ? SAY.anyBelow : '');

type FileParam = Reach['fileParams'][number];

const limitWords = ({ maxBytes, multiple }: FileParam): string => SAY.takes(bytes(maxBytes), multiple);

const fileOf = (reach: Reach | null, param: string): FileParam | undefined =>
  reach?.fileParams.find((one) => one.param === param);

function fileChange(reach: Reach | null, param: string): ReachChange {
  const found = fileOf(reach, param);
  return change(KIND.file, param, found && limitWords(found));
}

function limitChange(next: Reach, base: Reach | null, param: string): ReachChange {
  const [is, was] = [fileOf(next, param), fileOf(base, param)];
  const about = is && was ? `${limitWords(is)}, ${SAY.instead(limitWords(was))}` : '';
  return change(KIND.fileLimit, param, about);
}

/** What is sent elsewhere when somebody signs in to an account: each address that is another than before. */
function endpointChanges(next: Reach, base: Reach | null, account: string): ReachChange[] {
  const of = (reach: Reach | null) => reach?.endpoints.find((one) => one.account === account);
  const [is, was] = [of(next), of(base)];
  const fields = Object.keys(SAY.endpoints) as (keyof typeof SAY.endpoints)[];
  const changed = fields
    .filter((field) => is?.[field] !== was?.[field])
    .map((field) => {
      const about = `${SAY.endpoints[field]}, ${SAY.instead(was?.[field] ?? WORDS.review.none)}`;
      return change(KIND.endpoint, `${account}: ${is?.[field] ?? WORDS.review.none}`, about);
    });
  return changed.length > 0 ? changed : [change(KIND.endpoint, account)];
}

const toolOf = (reach: Reach | null, id: string) => reach?.tools.find((tool) => tool.id === id);

/** Tools that carry an account which they did not carry before: new tools too, since their calls send a token. */
function toolsGainingAccount(next: Reach, base: Reach | null): ReachChange[] {
  return next.tools.flatMap(({ id, account }) => {
    const was = toolOf(base, id);
    if (account === null || account === (was?.account ?? null)) return [];
    const before = was ? SAY.instead(was.account ?? SAY.noAccount) : SAY.newTool;
    return [change(KIND.toolAccount, id, `${SAY.with(account)}, ${before}`)];
  });
}

/**
 * Every way in which an update reaches more than the version it is compared with, in plain words: none exactly when the
 * difference does not widen.
 */
export const wider = (diff: PermissionDiff, next: Reach, base: Reach | null): ReachChange[] => [
  ...(diff.mcpUrlChanged ? [change(KIND.mcpUrl, next.mcpUrl, base ? SAY.instead(base.mcpUrl) : '')] : []),
  ...diff.authEndpointsChanged.flatMap((account) => endpointChanges(next, base, account)),
  ...diff.confirmRemoved.map((tool) => change(KIND.confirm, tool, SAY.confirmLost)),
  ...diff.domainsAdded.map(domainChange),
  ...diff.accountsAdded.map((entry) => accountChange(next, entry)),
  ...toolsGainingAccount(next, base),
  ...diff.grantsAdded.map(grantChange),
  ...diff.fileParamsAdded.map((param) => fileChange(next, param)),
  ...diff.fileLimitsRaised.map((param) => limitChange(next, base, param)),
  ...diff.requiresAdded.map((what) => change(KIND.requires, what)),
];

/** What an update no longer reaches. */
export const narrower = (diff: PermissionDiff, next: Reach, base: Reach | null): ReachChange[] => [
  ...diff.domainsRemoved.map(domainChange),
  ...diff.accountsRemoved.map((entry) => accountChange(base, entry)),
  ...diff.grantsRemoved.map(grantChange),
  ...diff.fileParamsRemoved.map((param) => fileChange(base, param)),
  ...diff.requiresRemoved.map((what) => change(KIND.requires, what)),
  ...diff.toolsRemoved.map((tool) => change(KIND.tool, tool)),
  ...diff.toolAccountsChanged
    .filter((id) => toolOf(next, id)?.account === null)
    .map((id) => change(KIND.toolAccount, id, SAY.instead(toolOf(base, id)?.account ?? SAY.noAccount))),
];

/** What changes without reaching more. */
export function otherwise(diff: PermissionDiff): ReachChange[] {
  const told = new Set([...diff.confirmRemoved, ...diff.toolAccountsChanged]);
  return [
    ...diff.toolsAdded.map((tool) => change(KIND.tool, tool, SAY.newTool)),
    ...diff.toolsChanged.filter((id) => !told.has(id)).map((tool) => change(KIND.tool, tool, SAY.wording)),
  ];
}

/** All that two versions may reach, one beside the other. */
export type ReachLine = { readonly sign: 'wider' | 'narrower' | 'same'; readonly change: ReachChange };

function compared(
  was: readonly string[],
  is: readonly string[],
  words: (value: string) => ReachChange,
): ReachLine[] {
  const all = [...new Set([...was, ...is])].sort();
  const signOf = (value: string) => {
    if (!was.includes(value)) return 'wider';
    return is.includes(value) ? 'same' : 'narrower';
  };
  return all.map((value) => ({ sign: signOf(value), change: words(value) }));
}

const paramsOf = (reach: Reach | null): string[] => reach?.fileParams.map(({ param }) => param) ?? [];

/** Every entry of what either of two versions may reach, and whether it is new, gone or as before. */
export const reachLines = (next: Reach, base: Reach): ReachLine[] => [
  ...compared([base.mcpUrl], [next.mcpUrl], (url) => change(KIND.domain, url, 'MCP')),
  ...compared(base.domains, next.domains, domainChange),
  ...compared(base.accounts, next.accounts, (entry) =>
    accountChange(next.accounts.includes(entry) ? next : base, entry),
  ),
  ...compared(base.grants, next.grants, grantChange),
  ...compared(paramsOf(base), paramsOf(next), (param) =>
    fileChange(fileOf(next, param) ? next : base, param),
  ),
  ...compared(base.requires, next.requires, (what) => change(KIND.requires, what)),
];
