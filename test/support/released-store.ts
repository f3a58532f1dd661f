import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '@svc/testkit';
import { onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The commit of version 0.1.0. */
const RELEASE = '12c6db99';

/** Whether this clone has the sources of version 0.1.0: a shallow one does not. */
export const needsRelease = () =>
  needs(
    spawnSync('git', ['cat-file', '-e', `${RELEASE}:package.json`], { cwd: ROOT, stdio: 'ignore' }).status ===
      0,
    'needs the history of this repository in git',
  );

/** The program of the store of version 0.1.0, with the packages of other projects that are installed here. */
export function releasedStore(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-released-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', RELEASE], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@svc'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@svc') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@svc', name));
  return join(folder, 'apps/store/src/main.ts');
}
