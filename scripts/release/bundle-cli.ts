import { existsSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_PROGRAMS } from '../../packages/runtime/src/programs/own-program.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { copyBin } from './copy-bin.ts';
import { bundledManifest } from './published-manifest.ts';
import { ROOT, readTargets } from './targets.ts';
import { NOTICES, writeNotices } from './write-notices.ts';

/** The programs in the package of the command line: svc, the desktop, and their threads and processes. */
const PROGRAMS = {
  svc: 'apps/cli/src/main.ts',
  desktop: 'apps/desktop/src/main.ts',
  ...Object.fromEntries(OWN_PROGRAMS.map((name) => [name, `packages/runtime/src/programs/${name}.ts`])),
};

/** Native packages, used only where the user has installed them. */
const OPTIONAL = ['sharp', '@napi-rs/keyring', '@mediabunny/server'];

/** Bundles the command line into a package without dependencies. @param folder default: `dist` @returns the folder */
export async function bundleCli(folder?: string): Promise<string> {
  const target = (await readTargets()).find(({ manifest }) => manifest.name === '@svc/cli');
  if (!target) throw new Error('There is no package @svc/cli.');
  const page = join(ROOT, 'apps/desktop/page/dist');
  if (!existsSync(page)) throw new Error('The page of the desktop is not built: run npm run build.');
  const dist = folder ?? join(target.folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  const programs = { inputs: PROGRAMS, external: OPTIONAL, folder: join(dist, 'lib'), minify: true };
  const modules = await bundlePrograms(programs);
  const manifest = bundledManifest(target, 'apps/cli', {
    // No dependencies, not even optional peers: npm would query a registry, which may not be reachable.
    dependencies: undefined,
    imports: { '#desktop': './lib/desktop.js' },
    files: ['bin', 'lib', 'page/dist', ...NOTICES],
  });
  await writeFile(join(dist, 'package.json'), manifest);
  await writeNotices(dist, target, modules);
  await copyBin(target, dist, { '../src/main.ts': '../lib/svc.js' });
  await cp(page, join(dist, 'page', 'dist'), { recursive: true });
  return dist;
}
