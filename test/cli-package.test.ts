import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleCli, MATERIALS } from '../scripts/release/bundle-cli.ts';
import { ROOT } from '../scripts/release/targets.ts';

let folder: string;
let manifest: Record<string, unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-package-'));
  await bundleCli(join(folder, 'package'));
  manifest = JSON.parse(await readFile(join(folder, 'package', 'package.json'), 'utf8'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const svc = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'package/bin/svc.js'), ...args],
    { cwd: folder, encoding: 'utf8', env: { HOME: folder, PATH: process.env.PATH ?? '' } },
  );
  return { status, stdout, stderr };
};

describe('the package of the command line', () => {
  it('needs no other package', () => {
    expect(manifest).not.toHaveProperty('dependencies');
    const optional = new Set(Object.keys(manifest.peerDependencies as object));
    expect(Object.keys(manifest.peerDependenciesMeta as object).sort()).toEqual([...optional].sort());
  });

  it('runs outside the repository: itself, its checks, and the desktop inside', () => {
    expect(svc('--version')).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
    const example = join(ROOT, 'examples/hello-notes');
    expect(svc('validate', example, '--json')).toMatchObject({ status: 0, stderr: '' });
    expect(svc('connect', 'codex', '--yes', '--folder', join(folder, 'desktop'))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('codex'),
    });
  });

  it('brings the licences of all that is in it, and the list of it', async () => {
    const licences = await readFile(join(folder, 'package', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(await readFile(join(folder, 'package', MATERIALS), 'utf8'));
    expect(components.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['commander', 'zod', 'undici', 'sanitize-html']),
    );
    for (const { name, version } of components) expect(licences).toContain(`\n${name} ${version} (`);
  });
});
