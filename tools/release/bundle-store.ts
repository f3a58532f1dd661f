import { existsSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CHILD_PROGRAMS, PACKED_PROGRAMS, PARTS } from '../../apps/store/src/platform/own-package.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { copyBin } from './copy-bin.ts';
import { bundledManifest } from './published-manifest.ts';
import { type Manifest, readTargets } from './targets.ts';
import { NOTICES, writeNotices } from './write-notices.ts';

/** Dependencies that the packed store installs separately: native packages, and packages read as files. */
const DEPENDENCIES = [
  'sharp',
  '@node-rs/argon2',
  'pg',
  '@expo-google-fonts/inter',
  '@fontsource-variable/inter',
];

/** Peer dependency that is bundled too, since the metrics use it. */
const BUNDLED_PEER = '@opentelemetry/api';

/** Packages that the store uses where an operator has installed them. */
const optionalOf = ({ peerDependencies }: Manifest): string[] =>
  Object.keys((peerDependencies ?? {}) as Record<string, string>).filter((name) => name !== BUNDLED_PEER);

function dependenciesOf({ name, dependencies = {} }: Manifest): Record<string, string> {
  return Object.fromEntries(
    DEPENDENCIES.map((dependency) => {
      const range = dependencies[dependency];
      if (range === undefined) throw new Error(`${name} does not depend on ${dependency}.`);
      return [dependency, range];
    }),
  );
}

/** The served files of a part, where not all are served: the pages of codes are rendered from the rules. */
const SERVED: { [name in keyof typeof PARTS]?: RegExp } = {
  docs: /^(reference\/)?[^/]+\.md$/,
  cli: /^cli\.tgz$/,
};

async function copyPart(from: string, dist: string, name: keyof typeof PARTS): Promise<void> {
  if (!existsSync(from)) throw new Error(`${from} does not exist: run npm run build.`);
  const served = SERVED[name];
  if (!served) return cp(from, join(dist, name), { recursive: true });
  const files = (await readdir(from, { recursive: true })).filter((file) => served.test(file));
  if (files.length === 0) throw new Error(`${from} contains no files to serve: run npm run build.`);
  for (const file of files) await cp(join(from, file), join(dist, name, file));
}

/**
 * Bundles the store into a package: its code in a few files, and the files that it reads. Build the pages and the command line first.
 * @param folder default: `dist`
 * @param cliFolder folder of `cli.tgz`; default: the output folder of `packCli`
 * @returns the folder
 */
export async function bundleStore(folder?: string, cliFolder?: string): Promise<string> {
  const target = (await readTargets()).find(({ manifest }) => manifest.name === '@svc/store');
  if (!target) throw new Error('There is no package @svc/store.');
  const { manifest } = target;
  const dist = folder ?? join(target.folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  const programs = { 'svc-store': 'src/main.ts', ...CHILD_PROGRAMS };
  const modules = await bundlePrograms({
    inputs: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, `apps/store/${file}`])),
    external: [...DEPENDENCIES, ...optionalOf(manifest)],
    folder: join(dist, PACKED_PROGRAMS),
    // Operators read and report stack traces.
    minify: false,
  });
  const parts = Object.keys(PARTS) as (keyof typeof PARTS)[];
  const published = bundledManifest(target, 'apps/store', {
    dependencies: dependenciesOf(manifest),
    files: ['bin', PACKED_PROGRAMS, ...parts, ...NOTICES],
  });
  await writeFile(join(dist, 'package.json'), published);
  await writeNotices(dist, target, modules);
  await copyBin(target, dist, { '../src/main.ts': `../${PACKED_PROGRAMS}/svc-store.js` });
  const folders = { ...PARTS, ...(cliFolder && { cli: cliFolder }) };
  for (const part of parts) await copyPart(resolve(target.folder, folders[part]), dist, part);
  return dist;
}
