import { existsSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { APART, PACKED_PROGRAMS, PARTS } from '../../apps/store/src/platform/own-package.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { copyBin } from './copy-bin.ts';
import { bundledManifest } from './published-manifest.ts';
import { type Manifest, readTargets } from './targets.ts';
import { NOTICES, writeNotices } from './write-notices.ts';

/** Packages that the packed store installs beside itself: what is native, and what is read as files. */
const BESIDE = ['sharp', '@node-rs/argon2', 'pg', '@expo-google-fonts/inter', '@fontsource-variable/inter'];

/** Code of others that is in the bundle as well, since metrics are made with it. */
const INSIDE_TOO = '@opentelemetry/api';

/** What the store uses where an operator installed it. */
const optionalOf = ({ peerDependencies }: Manifest): string[] =>
  Object.keys((peerDependencies ?? {}) as Record<string, string>).filter((name) => name !== INSIDE_TOO);

function dependenciesOf({ name, dependencies = {} }: Manifest): Record<string, string> {
  return Object.fromEntries(
    BESIDE.map((beside) => {
      const range = dependencies[beside];
      if (range === undefined) throw new Error(`${name} does not depend on ${beside}.`);
      return [beside, range];
    }),
  );
}

/** What of a part is served, where that is less than all of it; of the documents, pages of codes are made of the rules themselves. */
const SERVED: { [name in keyof typeof PARTS]?: RegExp } = { docs: /^[^/]+\.md$/, cli: /^cli\.tgz$/ };

async function copyPart(from: string, dist: string, name: keyof typeof PARTS): Promise<void> {
  if (!existsSync(from)) throw new Error(`${from} is not there: use npm run build.`);
  const served = SERVED[name];
  if (!served) return cp(from, join(dist, name), { recursive: true });
  const files = (await readdir(from)).filter((file) => served.test(file));
  if (files.length === 0) throw new Error(`${from} holds nothing to serve: use npm run build.`);
  for (const file of files) await cp(join(from, file), join(dist, name, file));
}

/**
 * Makes the package of the store: its code in a few files, and the files that it reads; the pages and the command line must be built.
 * @param cliFolder where `cli.tgz` lies, unless it lies where `packCli` puts it
 * @returns its folder, `dist` unless another is given
 */
export async function bundleStore(folder?: string, cliFolder?: string): Promise<string> {
  const target = (await readTargets()).find(({ manifest }) => manifest.name === '@svc/store');
  if (!target) throw new Error('There is no package @svc/store.');
  const { manifest } = target;
  const dist = folder ?? join(target.folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  const programs = { 'svc-store': 'src/main.ts', ...APART };
  const modules = await bundlePrograms({
    inputs: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, `apps/store/${file}`])),
    external: [...BESIDE, ...optionalOf(manifest)],
    folder: join(dist, PACKED_PROGRAMS),
    // Operators read stack traces, and send them.
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
