import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licencesOf, materialsOf } from './licences.ts';
import { bundledManifest } from './published-manifest.ts';
import { isBundled, ROOT, readTargets } from './targets.ts';

/** The programs of the command line: itself, the desktop it starts, and the thread and process that those start. */
const PROGRAMS = {
  svc: 'apps/cli/src/main.ts',
  desktop: 'apps/desktop/src/main.ts',
  'prepare-worker': 'packages/runtime/src/media/prepare-worker.ts',
  'keyring-process': 'packages/runtime/src/keyring/keyring-process.ts',
};

/** Native packages, which are for one platform: they are used where a person installed them. */
const OPTIONAL = ['sharp', '@napi-rs/keyring', '@mediabunny/server'];

/**
 * Where the files of the bundle lie in the package. Two folders deep, because the desktop looks for its page and its
 * package.json two folders above its own files.
 */
const INSIDE = join('lib', 'js');

/** The list of all that is inside. */
export const MATERIALS = 'sbom.cdx.json';

type Chunk = { fileName: string; imports: string[]; dynamicImports: string[] };

/** @throws when a file imports what is neither in the bundle nor of Node nor optional */
function requireWhole(chunks: readonly Chunk[]): void {
  const inside = new Set([...chunks.map(({ fileName }) => fileName), ...OPTIONAL]);
  const outside = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !inside.has(name) && !isBuiltin(name));
  if (outside.length > 0) throw new Error(`The bundle needs ${outside.join(', ')}.`);
}

/** Makes the files; names are kept, so that errors and stack traces can be read. */
async function writePrograms(dist: string): Promise<Set<string>> {
  const input = Object.fromEntries(Object.entries(PROGRAMS).map(([name, file]) => [name, join(ROOT, file)]));
  const bundle = await rolldown({
    cwd: ROOT,
    input,
    platform: 'node',
    external: OPTIONAL,
    // ES modules first: jsonc-parser requires its own files in a way that no bundler follows.
    resolve: { mainFields: ['module', 'main'] },
  });
  try {
    const { output } = await bundle.write({
      dir: join(dist, INSIDE),
      format: 'esm',
      minify: true,
      keepNames: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    requireWhole(chunks);
    return new Set(chunks.flatMap(({ moduleIds }) => moduleIds));
  } finally {
    await bundle.close();
  }
}

/** Makes the package of the command line: one tarball that needs no other package. @returns its folder, `dist` unless another is given */
export async function bundleCli(folder?: string): Promise<string> {
  const target = (await readTargets()).find(isBundled);
  if (!target) throw new Error('There is no package to bundle.');
  const page = join(ROOT, 'apps/desktop/page/dist');
  if (!existsSync(page)) throw new Error('The page of the desktop is not built: use npm run build.');
  const dist = folder ?? join(target.folder, 'dist');
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, 'bin'), { recursive: true });
  const modules = await writePrograms(dist);
  await writeFile(join(dist, 'package.json'), bundledManifest(target, 'apps/cli'));
  await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(modules));
  const materials = await materialsOf(modules, target.manifest);
  await writeFile(join(dist, MATERIALS), `${JSON.stringify(materials, null, 2)}\n`);
  const program = await readFile(join(target.folder, 'bin', 'svc.js'), 'utf8');
  await writeFile(join(dist, 'bin', 'svc.js'), program.replace('../src/main.ts', '../lib/js/svc.js'));
  await cp(page, join(dist, 'page', 'dist'), { recursive: true });
  await cp(join(target.folder, 'README.md'), join(dist, 'README.md'));
  for (const name of ['LICENSE', 'NOTICE.md']) await cp(join(ROOT, name), join(dist, name));
  return dist;
}
