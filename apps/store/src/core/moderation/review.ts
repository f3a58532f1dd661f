import {
  type Issue,
  LIMITS,
  type Manifest,
  type ManifestSummary,
  type PermissionDiff,
  type Review,
  remoteNameOf,
  type ServedFinding,
  type ServedTool,
} from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { conflictOf, type IndependencePolicy } from '../domain/decisions/independent.ts';
import { needsTwo, type TwoPersonsPolicy, validFirst } from '../domain/decisions/two-persons.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { namesOnRecord, unique } from '../domain/identity/names-on-record.ts';
import { lookAlikesOf, MISSING_REQUIREMENT, missingRequirements } from '../domain/listings/store-warnings.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { signedOriginOf } from '../domain/versions/origin.ts';
import { peopleRecordOf } from '../domain/versions/people-record.ts';
import { liveLock, placeInQueue, type ReviewPeriod } from '../domain/versions/review-clock.ts';
import { iconLookOf, type VersionRecord, type VersionRef } from '../domain/versions/version-record.ts';
import {
  diffOfVersions,
  footprintOfVersion,
  permissionDiffOf,
  requireVersion,
} from '../domain/versions/version-status.ts';

/** Words by which a parameter asks for a secret, in a name or a description without spaces and punctuation. */
const SECRETS =
  /passw(or)?d|passphrase|secret|api ?key|private ?key|access ?token|bearer|credential|seed ?phrase|otp\b|cvv|cvc\b/i;

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** `apiKey`, `api_key` and `api-key` as words. */
const wordsOf = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_.-]+/g, ' ');

/** The parameters of a schema that ask for a secret, at any depth; references are not resolved. */
function secretsIn(schema: unknown, path: string): string[] {
  if (!isObject(schema)) return [];
  const { properties } = schema;
  const named = isObject(properties) ? Object.entries(properties) : [];
  const own = named.flatMap(([name, part]) => {
    const description = isObject(part) && typeof part.description === 'string' ? part.description : '';
    return SECRETS.test(wordsOf(name)) || SECRETS.test(description) ? [`${path}${name}`] : [];
  });
  const below = named.flatMap(([name, part]) => secretsIn(part, `${path}${name}.`));
  return [...own, ...below, ...secretsIn(schema.items, `${path}*.`)];
}

/** What a moderator should know about the tools of a server beside its manifest. */
export function servedFindingsOf(manifest: Manifest, served: readonly ServedTool[]): ServedFinding[] {
  const byName = new Map(served.map((tool) => [tool.name, tool]));
  return (manifest.contributes.tools ?? []).flatMap((tool): ServedFinding[] => {
    const name = remoteNameOf(tool);
    const listed = byName.get(name);
    if (!listed) {
      const other = served.find((one) => plain(one.name) === plain(name));
      return [
        other
          ? { tool: name, kind: 'other-name', detail: other.name }
          : { tool: name, kind: 'not-served', detail: '' },
      ];
    }
    return secretsIn(listed.inputSchema, '').map((detail) => ({
      tool: name,
      kind: 'asks-for-secret',
      detail,
    }));
  });
}

/** The summary of a manifest. */
const summaryOf = (manifest: Manifest): ManifestSummary => ({
  name: manifest.name,
  description: manifest.description,
  permissions: manifest.permissions,
  categories: manifest.categories ?? [],
  homepage: manifest.homepage ?? null,
  support: manifest.support ?? null,
  author: manifest.author ?? null,
  icon: manifest.branding.icon,
  mark: manifest.branding.mark ?? null,
  screenshots: manifest.branding.screenshots ?? [],
  tools: (manifest.contributes.tools ?? []).map(({ id, name, description }) => ({ id, name, description })),
  panels: (manifest.contributes.panels ?? []).map(({ id, title }) => ({ id, title })),
});

export type ReviewDeps = Parts & {
  policy: ReviewPeriod & IndependencePolicy & TwoPersonsPolicy;
  /** The URL at which moderators download the zip of a version. */
  reviewBundleUrl(ref: VersionRef): string;
};

/** The version that the check compared with, in whatever state it is now. */
async function baseOf(deps: ReviewDeps, appId: string, diff: PermissionDiff): Promise<Review['base']> {
  const base = diff.baseVersion && (await deps.versions.find({ appId, version: diff.baseVersion }));
  if (!base) return null;
  const { version, state: status, manifest, source = null, attestation = null } = base;
  const shown = { manifest: summaryOf(manifest), reach: footprintOfVersion(base) };
  return { version, status, ...shown, source, attestation };
}

/**
 * The version that was published after the check compared: users have then consented to that one, not to the base of the check's
 * comparison. Null when there is none, and when the version is no longer in review.
 */
async function currentOf(
  { versions }: ReviewDeps,
  next: VersionRecord,
  { baseVersion }: PermissionDiff,
): Promise<Review['current']> {
  const { appId, state } = next;
  const version = state === 'in_review' ? await versions.latestPublished(appId) : null;
  if (version === null || version === baseVersion) return null;
  const current = await versions.find({ appId, version });
  if (!current) return null;
  return {
    version,
    manifest: summaryOf(current.manifest),
    reach: footprintOfVersion(current),
    permissionDiff: diffOfVersions(current, next),
  };
}

/** The tools of the server, and what to know about them beside the manifest. */
async function servedOf({ serverOf }: ReviewDeps, record: VersionRecord): Promise<Review['served']> {
  const { tools: stored } = await serverOf(record);
  return stored && { ...stored, findings: servedFindingsOf(record.manifest, stored.tools) };
}

async function reviewStateOf(deps: ReviewDeps, ref: VersionRef): Promise<Review['review']> {
  const review = await deps.reviews.reviewState(ref);
  const place = review && (await placeInQueue(deps, review));
  return (
    place && {
      ...place,
      superseded: review.superseded,
      lock: liveLock(review.lock, deps.clock().toISOString()),
      changesRequestedAt: review.changesRequestedAt,
      assignedTo: review.assignedTo,
    }
  );
}

async function historyOf(
  deps: ReviewDeps,
  record: VersionRecord,
): Promise<Pick<Review, 'moves' | 'decisions'>> {
  const { appId, publisher } = record;
  const { decisions: max } = LIMITS.moderation;
  const [moves, ofApp, ofPublisher] = await Promise.all([
    deps.reviews.moves(record),
    deps.reviews.decisions({ appId }, record, max),
    deps.reviews.decisions({ publisher }, record, max),
  ]);
  return { moves, decisions: { app: ofApp, publisher: ofPublisher } };
}

/** The README and the changelog as users will see them, with the pictures of the bundle. */
async function renderedOf(
  { renderer }: ReviewDeps,
  { appId, version, files, readme, changelog }: VersionRecord,
) {
  const base = `/api/moderation/apps/${appId}/versions/${encodeURIComponent(version)}/files/`;
  const pictures = Object.fromEntries(
    files.map(({ path }) => [path, base + path.split('/').map(encodeURIComponent).join('/')]),
  );
  const [readmeHtml, changelogHtml] = await Promise.all([
    renderer.markdown(readme, { anchor: 'readme', pictures }),
    renderer.markdown(changelog),
  ]);
  return { readmeHtml, changelogHtml };
}

async function requirePublisher(deps: ReviewDeps, slug: string) {
  const publisher = await deps.publishers.find(slug);
  if (!publisher) throw new Error('The publisher of a version is missing.');
  return publisher;
}

/** The current findings: a required app may have been published, or yanked, since the upload. */
async function issuesOf(deps: ReviewDeps, { state, issues, manifest }: VersionRecord): Promise<Issue[]> {
  if (state !== 'in_review') return issues;
  const others = issues.filter(({ code }) => code !== MISSING_REQUIREMENT);
  return [...others, ...(await missingRequirements(deps, manifest))];
}

/** Whether two persons must decide, and who did first; null when one is enough. */
async function twoPersonsOf(deps: ReviewDeps, record: VersionRecord): Promise<Review['twoPersons']> {
  if (!needsTwo(deps.policy, record)) return null;
  const first = await validFirst(deps, record);
  return { first: first && { by: first.by, act: first.act } };
}

/**
 * Everything that a reviewer needs about an uploaded version, in any state.
 * @throws ApiError not_found
 */
export async function reviewOf(deps: ReviewDeps, caller: Caller, ref: VersionRef): Promise<Review> {
  const record = await requireVersion(deps.versions, ref);
  const permissionDiff = permissionDiffOf(record);
  const { appId, version, submittedAt, submittedBy, sha256, size } = record;
  const issues = await issuesOf(deps, record);
  const history = await historyOf(deps, record);
  const { app, publisher } = history.decisions;
  const twoPersons = await twoPersonsOf(deps, record);
  const actors = [...history.moves, ...app, ...publisher].flatMap(({ by, first }) => [by, first]);
  const { reasons, notes, readme, changelog, manifest } = record;
  return {
    ...{ appId, version, status: record.state, submittedAt, submittedBy, sha256, size },
    publisher: await requirePublisher(deps, record.publisher),
    record: await deps.reviews.recordOf([record.publisher]),
    people: await peopleRecordOf(deps, record),
    ...{ reasons, notes, issues, permissionDiff },
    alike: await lookAlikesOf(deps, { ...record.manifest, iconLook: iconLookOf(record) }),
    manifest: summaryOf(manifest),
    reach: footprintOfVersion(record),
    base: await baseOf(deps, appId, permissionDiff),
    current: await currentOf(deps, record, permissionDiff),
    source: record.source ?? null,
    attestation: record.attestation ?? null,
    origin: record.origin ? { ...signedOriginOf(record.origin), said: record.origin.said } : null,
    served: await servedOf(deps, record),
    pictures: record.files.map(({ path }) => path),
    review: await reviewStateOf(deps, record),
    conflict: await conflictOf(deps, caller, record),
    twoPersons,
    ...history,
    names: await namesOnRecord(deps, unique([submittedBy, twoPersons?.first?.by, ...actors])),
    bundleUrl: deps.reviewBundleUrl(record),
    ...{ readme, changelog },
    ...(await renderedOf(deps, record)),
  };
}
