import type { InstalledApp } from '@svc/runtime';

/** What a text means in the log, which has ids alone: apps, and tools and accounts as `APP NAME`. */
export type NamedLike = { apps: readonly string[]; parts: readonly string[] };

/** The apps, and the tools and accounts of apps, whose names in their manifests contain a text, in any case. */
export function namedLike(
  apps: readonly Pick<InstalledApp, 'appId' | 'manifest'>[],
  text: string,
): NamedLike {
  const wanted = text.toLowerCase();
  const isLike = (name: string) => name.toLowerCase().includes(wanted);
  return {
    apps: apps.filter(({ manifest }) => isLike(manifest.name)).map(({ appId }) => appId),
    parts: apps.flatMap(({ appId, manifest }) => [
      ...(manifest.contributes.tools ?? []).flatMap(({ id, name }) =>
        isLike(name) ? [`${appId} ${id}`] : [],
      ),
      ...(manifest.accounts ?? []).flatMap(({ id, label }) => (isLike(label) ? [`${appId} ${id}`] : [])),
    ]),
  };
}
