import { compareVersions, isPreRelease } from '@svc/contracts';

/** Newest first. Build metadata does not order versions (SemVer 2.0.0 section 10), so the text breaks ties. */
export const byVersionDescending = (a: { version: string }, b: { version: string }): number =>
  compareVersions(b.version, a.version) || (a.version < b.version ? 1 : -1);

/** The greatest of some versions. Null for an empty list. */
const greatest = <V>(items: readonly V[], versionOf: (item: V) => string): V | null =>
  items.reduce<V | null>(
    (best, item) => (best !== null && compareVersions(versionOf(item), versionOf(best)) <= 0 ? best : item),
    null,
  );

/** The greatest version; a pre-release only when there is no stable version. Null for an empty list. */
export function latestOf<V extends { version: string }>(versions: readonly V[]): V | null {
  const stable = versions.filter(({ version }) => !isPreRelease(version));
  return greatest(stable.length > 0 ? stable : versions, ({ version }) => version);
}

/** The greatest of some version numbers, including pre-releases. Null for an empty list. */
export const greatestOf = (versions: readonly string[]): string | null =>
  greatest(versions, (version) => version);
