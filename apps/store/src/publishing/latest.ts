import semver from 'semver';

/** Newest first. Build metadata does not order versions (SemVer 2.0.0 section 10), so the text breaks ties. */
export const byVersionDescending = (a: { version: string }, b: { version: string }): number =>
  semver.rcompare(a.version, b.version) || (a.version < b.version ? 1 : -1);

/** The greatest version; a pre-release only while there is no stable one. Null of none. */
export function latestOf<V extends { version: string }>(versions: readonly V[]): V | null {
  const newestFirst = [...versions].sort(byVersionDescending);
  return newestFirst.find(({ version }) => semver.prerelease(version) === null) ?? newestFirst[0] ?? null;
}

/** The greatest of some version numbers, pre-releases included. */
export const greatestOf = (versions: readonly string[]): string | undefined =>
  [...versions].sort(semver.rcompare)[0];
