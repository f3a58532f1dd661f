import type { AuditAction } from '@svc/contracts';
import type { VersionRef } from '../domain/versions/version-record.ts';

/** The tag of every bundle and picture of the store. */
const ALL = 'svc-files';

const tagOfApp = (appId: string): string => `svc-app-${appId}`;
const tagOfVersion = ({ appId, version }: VersionRef): string => `svc-version-${appId}@${version}`;

/** The tags of what the store serves of a version, by which a CDN purges it: in the headers of Fastly and of Cloudflare. */
export function tagHeaders(ref: VersionRef): { 'Surrogate-Key': string; 'Cache-Tag': string } {
  const tags = [ALL, tagOfApp(ref.appId), tagOfVersion(ref)];
  return { 'Surrogate-Key': tags.join(' '), 'Cache-Tag': tags.join(',') };
}

/** Acts on what a CDN never keeps. */
type Private =
  | `${'appeal' | 'brand' | 'ci' | 'device' | 'email' | 'emergency' | 'featured' | 'identity' | 'invitation'}.${string}`
  | `${'managed' | 'member' | 'passkey' | 'password' | 'person' | 'policy' | 'rating' | 'report'}.${string}`
  | `${'reviewer' | 'server' | 'session' | 'token' | 'upstream' | 'webhook'}.${string}`;

/**
 * What an act makes invalid in a CDN that keeps bundles and pictures; null for what it leaves as it is. An emergency has an entry for each
 * yank and suspension. What was never published was never served, and the publisher of an app is in no bundle.
 */
const INVALID = {
  'version.publish': 'version',
  'version.yank': 'version',
  'version.unyank': 'version',
  'version.submit': null,
  'version.approve': null,
  'version.first': null,
  'version.reject': null,
  'version.withdraw': null,
  'version.confirm': null,
  'version.assign': null,
  'case.assign': null,
  'version.message': null,
  'version.request-changes': null,
  'version.tools': null,
  'version.deprecate': null,
  'version.carry': null,
  'app.suspend': 'app',
  'app.unsuspend': 'app',
  'app.delete': 'app',
  'app.state': null,
  'app.offer': null,
  'app.transfer': null,
  'app.refuse': null,
  'app.reassign': null,
  'app.free': null,
  'app.publishing': null,
  'publisher.suspend': 'publisher',
  'publisher.unsuspend': 'publisher',
  'publisher.create': null,
  'publisher.change': null,
  'publisher.name-request': null,
  'publisher.name-approve': null,
  'publisher.name-refuse': null,
  'publisher.verify': null,
  'publisher.unverify': null,
  'publisher.transfer': null,
  'publisher.delete': null,
  'access.change': 'store',
  'key.rotate': 'store',
  'key.lost': 'store',
} as const satisfies Record<Exclude<AuditAction, Private>, 'version' | 'app' | 'publisher' | 'store' | null>;

type Decided = keyof typeof INVALID;

/** Acts that make something invalid in a CDN: each is an event. */
export type InvalidatingAction = {
  [Action in Decided]: (typeof INVALID)[Action] extends null ? never : Action;
}[Decided];

/** Tags that one event names; a CDN takes only so many at once. */
const MAX_TAGS = 100;

/** Whether an act concerns all apps of its publisher. */
export const isOfAllApps = (action: AuditAction): boolean => INVALID[action as Decided] === 'publisher';

/**
 * The tags that a CDN purges after an act: none where nothing that it may keep became invalid.
 * @param apps the apps of its publisher, where `isOfAllApps` says so
 */
export function tagsOf(
  { action, appId, version }: { action: AuditAction; appId: string | null; version: string | null },
  apps: readonly string[],
): string[] {
  const what = INVALID[action as Decided] ?? null;
  if (what === 'store') return [ALL];
  if (what === 'publisher') return apps.length > MAX_TAGS ? [ALL] : apps.map(tagOfApp);
  if (what === null || appId === null) return [];
  return what === 'app' || version === null ? [tagOfApp(appId)] : [tagOfVersion({ appId, version })];
}
