import { existsSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKED_PARTS, PARTS } from '../../apps/cli/src/init/parts.ts';
import { OWN_PROGRAMS } from '../../packages/runtime/src/programs/own-program.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { copyBin } from './copy-bin.ts';
import { bundledManifest } from './published-manifest.ts';
import { ROOT, readTargets, type Target } from './targets.ts';
import { NOTICES, writeNotices } from './write-notices.ts';

/** The programs in the package of the command line: svc, the desktop, and their threads and processes. */
const PROGRAMS = {
  svc: 'apps/cli/src/main.ts',
  desktop: 'apps/desktop/src/main.ts',
  ...Object.fromEntries(OWN_PROGRAMS.map((name) => [name, `packages/runtime/src/programs/${name}.ts`])),
};

/**
 * Packages that npm installs with the command line where it can: they have a program for each platform, or a licence of their own. An
 * installation without a registry works without them.
 */
const INSTALLED = ['sharp', 'libheif-js', '@napi-rs/keyring'];
/** Used only where the user has installed it: the encoders of recordings have 170 MB. */
const OPTIONAL = ['@mediabunny/server', '@opentelemetry/api'];

/** The ranges of `INSTALLED`, as the runtime names them. */
function installedWith(targets: readonly Target[]): Record<string, string> {
  const runtime = targets.find(({ manifest }) => manifest.name === '@svc/runtime')?.manifest;
  const ranges = (runtime?.peerDependencies ?? {}) as Record<string, string>;
  return Object.fromEntries(
    INSTALLED.map((name) => {
      const range = ranges[name];
      if (range === undefined) throw new Error(`@svc/runtime has no peer dependency ${name}.`);
      return [name, range];
    }),
  );
}

/** Bundles the command line into a package with all that it must have. @param folder default: `dist` @returns the folder */
export async function bundleCli(folder?: string): Promise<string> {
  const targets = await readTargets();
  const target = targets.find(({ manifest }) => manifest.name === '@svc/cli');
  if (!target) throw new Error('There is no package @svc/cli.');
  const page = join(ROOT, 'apps/desktop/page/dist');
  if (!existsSync(page)) throw new Error('The page of the desktop is not built: run npm run build.');
  const dist = folder ?? join(target.folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  const programs = {
    inputs: PROGRAMS,
    external: [...INSTALLED, ...OPTIONAL],
    folder: join(dist, 'lib'),
    minify: true,
  };
  const modules = await bundlePrograms(programs);
  const manifest = bundledManifest(target, 'apps/cli', {
    dependencies: undefined,
    optionalDependencies: installedWith(targets),
    imports: { '#desktop': './lib/desktop.js' },
    files: ['bin', 'lib', 'page/dist', PACKED_PARTS, ...NOTICES],
  });
  await writeFile(join(dist, 'package.json'), manifest);
  await writeNotices(dist, target, modules);
  await copyBin(target, dist, { '../src/main.ts': '../lib/svc.js' });
  await cp(page, join(dist, 'page', 'dist'), { recursive: true });
  for (const [name, source] of Object.entries(PARTS))
    await cp(join(ROOT, source), join(dist, PACKED_PARTS, name));
  return dist;
}
