import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packTarball } from './pack-tarball.ts';
import { ROOT, readTargets } from './targets.ts';

type Locked = Record<string, { version?: string; dev?: boolean; link?: boolean; name?: string }>;

/** The versions of third-party packages that occur once in the lock file, without development dependencies: overrides for npm. */
export async function lockedVersions(): Promise<Record<string, string>> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Locked;
  };
  const versionsByName = new Map<string, Set<string>>();
  for (const [path, { version, dev, link }] of Object.entries(packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0 || dev || link || version === undefined) continue;
    const name = path.slice(at + 'node_modules/'.length);
    versionsByName.set(name, (versionsByName.get(name) ?? new Set()).add(version));
  }
  const single = [...versionsByName].flatMap(([name, versions]) =>
    versions.size === 1 ? [[name, ...versions]] : [],
  );
  return Object.fromEntries(single);
}

/**
 * Creates a folder in which `npm install` installs the packed store with the versions of the lock file.
 * @returns the tarball in the folder
 */
export async function pinStore(folder: string): Promise<string> {
  const target = (await readTargets()).find(({ manifest }) => manifest.name === '@svc/store');
  if (!target) throw new Error('There is no package @svc/store.');
  await mkdir(folder, { recursive: true });
  const tarball = packTarball(target, folder);
  const overrides = await lockedVersions();
  // Telemetry is an optional peer, but an image cannot add it later. npm accepts an override of a direct dependency only when both
  // ranges are equal.
  const peers = Object.entries(target.manifest.peerDependencies as Record<string, string>);
  const manifest = {
    name: 'svc-store-image',
    private: true,
    dependencies: {
      ...Object.fromEntries(peers.map(([name, range]) => [name, overrides[name] ?? range])),
      '@svc/store': `file:${tarball.slice(folder.length).replace(/^[\\/]/, '')}`,
    },
    overrides,
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return tarball;
}

const [folder] = process.argv.slice(2);
if (import.meta.main && folder !== undefined) await pinStore(folder);
