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

/** The tags of what an event is about: a CDN purges them when a version is yanked, or an app suspended. */
export function tagsOf({ appId, version }: { appId: string | null; version: string | null }): string[] {
  if (appId === null) return [];
  return version === null ? [tagOfApp(appId)] : [tagOfVersion({ appId, version })];
}
