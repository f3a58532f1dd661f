import { existsSync } from 'node:fs';
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEEP, needs } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleStore } from '../tools/release/bundle-store.ts';
import { packCli } from '../tools/release/pack-cli.ts';
import { runProgram } from '../tools/release/run-program.ts';
import { ROOT } from '../tools/release/targets.ts';
import { tryStore } from '../tools/release/try-store.ts';
import { SBOM_FILE } from '../tools/release/write-notices.ts';

/** Linux user id of `nobody`, which owns no files. */
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;

let folder: string;
let dist: string;
let manifest: { version: string; dependencies: Record<string, string> };

// Outside the repository, with links to its dependencies in place of an installation; `npm run outside` installs the tarball.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-store-package-'));
  dist = join(folder, 'node_modules', '@svc', 'store');
  const cli = await packCli(join(folder, 'cli'));
  await bundleStore(dist, dirname(cli));
  manifest = JSON.parse(await readFile(join(dist, 'package.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const program = () => join(dist, 'bin', 'svc-store.js');

describe('the package of the store', DEEP, () => {
  it('starts and works outside the repository', async () => {
    const home = join(folder, 'home');
    await mkdir(home);
    await tryStore({ folder, home }, process.execPath);
    expect(runProgram(process.execPath, [program(), '--version'], { cwd: folder })).toBe(
      `${manifest.version}\n`,
    );
    const compiled = join(dist, 'node_modules', '.cache', 'compiled');
    const kept = await readdir(compiled, { recursive: true });
    // Cache files of its threads and processes, and of the files that they share.
    expect(kept.length).toBeGreaterThan(20);
  });

  it('keeps the function names for stack traces', async () => {
    const texts = (await readdir(join(dist, 'lib'))).map((file) => readFile(join(dist, 'lib', file), 'utf8'));
    const all = (await Promise.all(texts)).join('\n');
    const lost = ['openStore', 'inspectBundle', 'downloadBundle'].filter(
      (name) => !all.includes(`function ${name}(`),
    );
    expect(lost).toEqual([]);
  });

  it('contains the licences of its contents, and an SBOM', async () => {
    const licences = await readFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(await readFile(join(dist, SBOM_FILE), 'utf8'));
    expect(components.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['hono', 'kysely', 'zod', 'pino', 'undici']),
    );
    for (const { name, version } of components) expect(licences).toContain(`\n${name} ${version} (`);
  });

  it('writes no compile cache into a folder of another user', needs(isRoot, 'needs root'), async () => {
    const copy = join(folder, 'node_modules', '@svc', 'copy');
    await cp(dist, copy, { recursive: true, filter: (file) => !file.includes('node_modules/.cache') });
    await chown(copy, NOBODY, NOBODY);
    runProgram(process.execPath, [join(copy, 'bin', 'svc-store.js'), '--version'], { cwd: folder });
    expect(existsSync(join(copy, 'node_modules', '.cache'))).toBe(false);
  });
});
