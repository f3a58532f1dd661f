import semver, { type SemVer } from 'semver';

/** Finds the greatest version. Each is parsed and compared once: an app may have thousands of versions. */
function greatest<V>(items: readonly V[], versionOf: (item: V) => SemVer): V | null {
  let best: { item: V; version: SemVer } | null = null;
  for (const item of items) {
    const version = versionOf(item);
    if (!best || version.compare(best.version) > 0) best = { item, version };
  }
  return best?.item ?? null;
}

const MAX_PARSED = 10_000;

/** A cache of parsed version numbers: sorting compares each with many others. */
const parsed = new Map<string, SemVer>();

function parse(text: string): SemVer {
  const known = parsed.get(text);
  if (known) return known;
  const version = new semver.SemVer(text);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, version);
  return version;
}

/** Newest first. Build metadata does not order versions (SemVer 2.0.0 section 10), so the text breaks ties. */
export const byVersionDescending = (a: { version: string }, b: { version: string }): number =>
  parse(b.version).compare(parse(a.version)) || (a.version < b.version ? 1 : -1);

/** The greatest version; a pre-release only when there is no stable version. Null for an empty list. */
export function latestOf<V extends { version: string }>(versions: readonly V[]): V | null {
  const all = versions.map((item) => ({ item, version: parse(item.version) }));
  const stable = all.filter(({ version }) => version.prerelease.length === 0);
  return greatest(stable.length > 0 ? stable : all, ({ version }) => version)?.item ?? null;
}

/** The greatest of some version numbers, including pre-releases. Null for an empty list. */
export const greatestOf = (versions: readonly string[]): string | null => greatest(versions, parse);
