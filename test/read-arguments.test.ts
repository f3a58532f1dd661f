import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

function run(script: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), ...words], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the arguments of a script', () => {
  it('print the usage for --help', () => {
    const said = run('tools/fuzz.ts', '--help');
    expect(said).toMatchObject({ status: 0, stderr: '' });
    expect(said.stdout).toMatch(/^usage: npm run fuzz -- /);
  });

  for (const [words, wrong, options] of [
    [['--fast'], "Unknown option '--fast'", {}],
    [['--runs', 'many'], 'many is not a whole number', DEEP],
    [['now'], 'There is no use for now.', DEEP],
  ] as const)
    it(`reports an error and the usage for ${words.join(' ')}`, options, () => {
      const said = run('tools/fuzz.ts', ...words);
      expect(said).toMatchObject({ status: 2, stdout: '' });
      expect(said.stderr).toContain(wrong);
      expect(said.stderr).toContain('usage: npm run fuzz -- ');
    });

  it('are documented by every script of the project', DEEP, () => {
    const source = readFileSync(join(ROOT, 'scripts/run.mjs'), 'utf8');
    const commands = [...source.matchAll(/^ {2}'?([a-z:-]+)'?: \[(.*)\],$/gm)].flatMap(([, name, steps]) => {
      const script = /'((?:scripts|tools)\/[\w/-]+\.ts)'\]$/.exec(steps as string)?.[1];
      return script === undefined || name === 'gen' || name === 'build' ? [] : [[name, script] as const];
    });
    expect(commands.length).toBeGreaterThan(8);
    for (const [name, script] of commands)
      expect({ name, said: run(script, '--help') }).toMatchObject({
        name,
        said: { status: 0, stdout: expect.stringMatching(`^usage: npm run (-s )?${name}`) },
      });
  });
});
