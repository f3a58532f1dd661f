import type { ErrorExtras, Suspension } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { DecisionSubject } from '../domain/decisions/decision-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { byVersionDescending, type VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion } from '../domain/versions/version-status.ts';

export type TombstoneDeps = Pick<Parts, 'apps' | 'publishers' | 'versions' | 'decisions'>;

type Tombstone = NonNullable<ErrorExtras['tombstone']>;

const dayOf = (at: string): string => at.slice(0, 10);

/** The rule that the last decision of some kinds cites; null for an act without a decision, such as a yank by the publisher. */
async function ruleOf(
  { decisions }: Pick<Parts, 'decisions'>,
  of: DecisionSubject,
): Promise<Tombstone['rule']> {
  const decision = await decisions.lastAbout(of);
  if (!decision) return null;
  const policy = await decisions.policy(decision.policy);
  const title = policy?.rules.find(({ id }) => id === decision.rule)?.title ?? decision.rule;
  return { id: decision.rule, title, policy: decision.policy };
}

/** The refusal of what was stopped: when, by which rule, and the words of who did it. */
function stopped(what: string, { at, rule, words }: Tombstone): ApiError {
  const cited = rule === null ? '' : ` The rule: ${rule.title}.`;
  const said = words === '' ? '' : ` The reason: “${words}”`;
  const extras = { tombstone: { at, rule, words } };
  return new ApiError('stopped', `${what} on ${dayOf(at)}.${cited}${said}`, extras, 'Stopped');
}

const bySuspension = async (
  deps: TombstoneDeps,
  what: string,
  suspension: Suspension | undefined,
  of: DecisionSubject,
): Promise<ApiError> => {
  const { at = '', reason: words = '' } = suspension ?? {};
  return stopped(what, { at, words, rule: await ruleOf(deps, { ...of, at }) });
};

/** What a request for a publisher that the store suspended gets; null for one that is not suspended. */
export async function publisherTombstone(deps: TombstoneDeps, slug: string): Promise<ApiError | null> {
  const publisher = await deps.publishers.find(slug);
  if (!publisher?.suspended) return null;
  const what = `The store suspended the publisher ${slug}`;
  const kinds = ['publisher-suspended', 'emergency'] as const;
  return bySuspension(deps, what, publisher.suspension, { publisher: slug, kinds });
}

/** The rule by which a version was yanked; null where its publisher did it. */
const ruleOfYank = (deps: TombstoneDeps, { publisher, appId, version }: VersionRef & { publisher: string }) =>
  ruleOf(deps, { publisher, appId, version, kinds: ['version-yanked', 'emergency'] });

/** What a request for a yanked version gets. */
export async function versionTombstone(deps: TombstoneDeps, ref: VersionRef): Promise<ApiError> {
  const { appId, version } = ref;
  const record = await requireVersion(deps.versions, ref);
  const at = (await deps.versions.lastMoved(appId, version)) ?? '';
  const tombstone = { at, rule: await ruleOfYank(deps, record), words: record.notes };
  return new ApiError('yanked', `Version ${version} of ${appId} was yanked: ${record.notes}`, { tombstone });
}

/** An app whose versions are all yanked. */
async function yankedTombstone(
  deps: TombstoneDeps,
  appId: string,
  released: readonly string[],
): Promise<ApiError | null> {
  const version = released.map((one) => ({ version: one })).toSorted(byVersionDescending)[0]?.version ?? '';
  const record = await deps.versions.find({ appId, version });
  if (!record) return null;
  const rule = await ruleOfYank(deps, record);
  const at = (await deps.versions.lastMoved(appId)) ?? '';
  const who = rule === null ? 'Its publisher' : 'The store';
  return stopped(`${who} yanked every version of ${appId}`, { at, rule, words: record.notes });
}

/**
 * What a request for an app that is not listed gets: a tombstone for one that was published, and was stopped since; else nothing of it,
 * as for one that never existed.
 */
export async function unlisted(deps: TombstoneDeps, appId: string): Promise<ApiError> {
  const unknown = new ApiError('not_found', `There is no published app ${appId}.`);
  const [app, released] = [await deps.apps.find(appId), await deps.versions.released(appId)];
  if (!app || released.length === 0) return unknown;
  const { publisher, suspended, suspension } = app;
  if (suspended) {
    const what = `The store suspended the app ${appId}`;
    const kinds = ['app-suspended', 'emergency'] as const;
    return bySuspension(deps, what, suspension, { publisher, kinds, appId });
  }
  const ofAll = await publisherTombstone(deps, publisher);
  if (ofAll) return ofAll;
  if (released.some(({ state }) => state === 'published')) return unknown;
  const versions = released.map(({ version }) => version);
  return (await yankedTombstone(deps, appId, versions)) ?? unknown;
}
