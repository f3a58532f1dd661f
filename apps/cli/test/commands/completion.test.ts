import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionTable, SCRIPTS } from '../../src/commands/completion.ts';
import { COMMANDS } from '../../src/commands/index.ts';

const table = await completionTable(COMMANDS);

/** The completions that bash offers at the end of a command line. */
function offered(...words: string[]): string[] {
  const script = `${SCRIPTS.bash(table)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', 'svc', ...words], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  it('offers every command', () => {
    expect(offered('')).toEqual([...COMMANDS.map(({ name }) => name), '--help', '--version']);
    expect(offered('ver')).toEqual(['version', 'verify']);
  });

  it('offers options and their values', () => {
    expect(offered('publish', '--w')).toEqual(['--wait', '--watch']);
    expect(offered('validate', '--mode', '')).toEqual(['store', 'dev']);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
  });

  it('offers nothing after an unknown command', () => expect(offered('frobnicate', '')).toEqual([]));
});

describe.each(['zsh', 'fish'] as const)('%s', (shell) => {
  it('contains each command and each option', () => {
    const script = SCRIPTS[shell](table);
    for (const { name, flags } of table) {
      expect(script).toContain(name);
      for (const flag of flags.flatMap(({ names }) => names))
        expect(script).toContain(flag.replace(/^-+/, ''));
    }
  });
});
