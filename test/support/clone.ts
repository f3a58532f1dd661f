import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from '../../tools/release/targets.ts';

const git = (...words: string[]): string => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' });

/** Links the installed packages of a workspace into the clone, in place of `npm ci`. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from))
    if (name !== '.cache') execFileSync('cp', ['-al', join(from, name), to]);
}

/**
 * A clone for a test, as git has it, without anything that was built, with the installed packages of this one. Beside these, because
 * files are linked, and links stay on one disk.
 */
export async function cloneHere(): Promise<string> {
  await mkdir(join(ROOT, '.clones'), { recursive: true });
  const clone = await mkdtemp(join(ROOT, '.clones/clone-'));
  onTestFinished(() => rm(clone, { recursive: true, force: true, maxRetries: 5 }));
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  const there = new Set(git('ls-files', '-z', '--deleted').split('\0'));
  for (const file of files)
    if (file !== '' && !there.has(file))
      await cp(join(ROOT, file), join(clone, file), { verbatimSymlinks: true });
  const packages = execFileSync(
    'find',
    ['.', '-name', '.clones', '-prune', '-o', '-name', 'node_modules', '-type', 'd', '-prune', '-print'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  for (const place of packages.trim().split('\n')) await linkPackages(join(ROOT, place), join(clone, place));
  return clone;
}
