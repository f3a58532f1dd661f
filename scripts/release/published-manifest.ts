import { type Manifest, ownDependencies, type Target } from './targets.ts';

/** Source names as they are called once built. */
const built = (text: string): string => text.replaceAll(/(?<![\w./-])(\.\.?\/src\/[\w./-]+)\.ts\b/g, '$1.js');

/**
 * Where the sources are, as a provenance statement must name it. It is known to the CI that publishes:
 * https://docs.npmjs.com/generating-provenance-statements
 */
function repositoryOf(
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: NodeJS.ProcessEnv,
  path: string,
) {
  if (!server || !name) return {};
  return { repository: { type: 'git', url: `git+${server}/${name}.git`, directory: path } };
}

/** Fields that only the repository needs. */
function publishedFields(manifest: Manifest, path: string): Manifest {
  const { devDependencies: _dev, publishConfig, ...kept } = manifest;
  const { directory: _directory, ...config } = (publishConfig ?? {}) as Record<string, unknown>;
  return { ...kept, ...repositoryOf(process.env, path), publishConfig: config };
}

/** Each entry with its types. */
const typed = (exports: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(exports).map(([entry, file]) => [
      entry,
      { types: file.replace(/\.ts$/, '.d.ts'), default: file },
    ]),
  );

/** The package.json of a package that others install: the same, with built names and types. */
export function publishedManifest({ manifest }: Target, path: string): string {
  const { exports, ...kept } = publishedFields(manifest, path);
  const text = JSON.stringify({ ...kept, ...(exports && { exports: typed(exports) }) }, null, 2);
  return `${built(text).replaceAll(/(?<![\w./-])(\.\/src\/[\w./-]+)\.d\.js\b/g, '$1.d.ts')}\n`;
}

/**
 * Adds to a published package.json the packages of this repository that its tarball carries, and what those need of others:
 * a tarball then installs by itself, where none of them is in a registry.
 */
export function withOwnDependencies(text: string, target: Target, targets: readonly Target[]): string {
  const own = ownDependencies(target, targets);
  if (own.length === 0) return text;
  const manifest: Manifest = JSON.parse(text);
  const inside = own.map(({ manifest: { name, version } }) => [name, version] as const);
  const dependencies = Object.fromEntries(
    [...own.map((one) => one.manifest.dependencies ?? {}), manifest.dependencies ?? {}]
      .flatMap((list) => Object.entries(list))
      .concat(inside.map(([name, version]) => [name, version]))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const bundleDependencies = inside.map(([name]) => name).sort();
  return `${JSON.stringify({ ...manifest, ...peersOf(target, own), dependencies, bundleDependencies }, null, 2)}\n`;
}

/** Optional peers of what is inside are those of the package around it, unless it brings them itself. */
function peersOf({ manifest }: Target, own: readonly Target[]) {
  const brought = { ...manifest.dependencies, ...(manifest.optionalDependencies as object | undefined) };
  const optionalOf = (field: string) =>
    Object.fromEntries(
      [...own.map((one) => one.manifest), manifest]
        .flatMap((one) => Object.entries((one[field] ?? {}) as Record<string, unknown>))
        .filter(([name]) => !(name in brought)),
    );
  const peerDependencies = optionalOf('peerDependencies');
  return Object.keys(peerDependencies).length === 0
    ? {}
    : { peerDependencies, peerDependenciesMeta: optionalOf('peerDependenciesMeta') };
}

/** The package.json of a bundled program. @param changes fields that are others than in the repository; undefined for none */
export const bundledManifest = (
  { manifest }: Target,
  path: string,
  changes: Record<string, unknown>,
): string => `${JSON.stringify({ ...publishedFields(manifest, path), ...changes }, null, 2)}\n`;
