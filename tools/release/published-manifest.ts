import { type Manifest, ownDependencies, type Target } from './targets.ts';

/** Replaces the paths of sources by those of the build. */
const built = (text: string): string => text.replaceAll(/(?<![\w./-])(\.\.?\/src\/[\w./-]+)\.ts\b/g, '$1.js');

/**
 * The `repository` field, which provenance statements require. Only the publishing CI knows it:
 * https://docs.npmjs.com/generating-provenance-statements
 */
function repositoryOf(
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: NodeJS.ProcessEnv,
  path: string,
) {
  if (!server || !name) return {};
  return { repository: { type: 'git', url: `git+${server}/${name}.git`, directory: path } };
}

/** The manifest without the fields that only the repository needs. */
function publishedFields(manifest: Manifest, path: string): Manifest {
  const { devDependencies: _dev, publishConfig, ...fields } = manifest;
  const { directory: _directory, ...config } = (publishConfig ?? {}) as Record<string, unknown>;
  return { ...fields, ...repositoryOf(process.env, path), publishConfig: config };
}

/** The exports with their types. */
const typed = (exports: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(exports).map(([entry, file]) => [
      entry,
      { types: file.replace(/\.ts$/, '.d.ts'), default: file },
    ]),
  );

/** The published package.json of a library: with the paths of the build, and types. */
export function publishedManifest({ manifest }: Target, path: string): string {
  const { exports, ...fields } = publishedFields(manifest, path);
  const text = JSON.stringify({ ...fields, ...(exports && { exports: typed(exports) }) }, null, 2);
  return `${built(text).replaceAll(/(?<![\w./-])(\.\/src\/[\w./-]+)\.d\.js\b/g, '$1.d.ts')}\n`;
}

/**
 * Adds the packages of this repository that the tarball bundles to a published package.json, with their dependencies, so that the
 * tarball installs without them in a registry.
 */
export function withOwnDependencies(text: string, target: Target, targets: readonly Target[]): string {
  const own = ownDependencies(target, targets);
  if (own.length === 0) return text;
  const manifest: Manifest = JSON.parse(text);
  const inside = own.map(({ manifest: { name, version } }) => [name, version] as const);
  const dependencies = Object.fromEntries(
    [...own.map((dependency) => dependency.manifest.dependencies ?? {}), manifest.dependencies ?? {}]
      .flatMap((list) => Object.entries(list))
      .concat(inside.map(([name, version]) => [name, version]))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const bundleDependencies = inside.map(([name]) => name).sort();
  return `${JSON.stringify({ ...manifest, ...peersOf(target, own), dependencies, bundleDependencies }, null, 2)}\n`;
}

/** The optional peers of bundled packages, except those that the package depends on itself. */
function peersOf({ manifest }: Target, own: readonly Target[]) {
  const included = { ...manifest.dependencies, ...(manifest.optionalDependencies as object | undefined) };
  const optionalOf = (field: string) =>
    Object.fromEntries(
      [...own.map((dependency) => dependency.manifest), manifest]
        .flatMap((source) => Object.entries((source[field] ?? {}) as Record<string, unknown>))
        .filter(([name]) => !(name in included)),
    );
  const peerDependencies = optionalOf('peerDependencies');
  return Object.keys(peerDependencies).length === 0
    ? {}
    : { peerDependencies, peerDependenciesMeta: optionalOf('peerDependenciesMeta') };
}

/** The package.json of a bundled program. @param changes fields to override; undefined removes a field */
export const bundledManifest = (
  { manifest }: Target,
  path: string,
  changes: Record<string, unknown>,
): string => `${JSON.stringify({ ...publishedFields(manifest, path), ...changes }, null, 2)}\n`;
