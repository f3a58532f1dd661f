import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { anyText } from '@svc/testkit/any-text';
import { hiddenIn } from '@svc/text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveCommand } from '../../src/connectors/resolve-command.ts';
import { refused } from '../support/refused.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A machine with one program in `PATH`, after a file of the same name that is not executable. */
async function machine() {
  const folder = await tempFolder();
  const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
  await mkdir(first);
  await mkdir(path.join(second, 'folder'), { recursive: true });
  await writeFile(path.join(first, 'server'), '', { mode: 0o600 });
  await writeFile(path.join(second, 'server'), '');
  await chmod(path.join(second, 'server'), 0o700);
  const env = { PATH: `.:relative:${first}:${second}`, TOKEN: 'x' };
  return {
    folder,
    program: path.join(second, 'server'),
    environment: { env, platform: 'linux', home: folder },
  };
}

describe('a command', () => {
  it('is resolved in PATH, and starts in the home folder of the user', async () => {
    const { folder, program, environment } = await machine();
    expect(await resolveCommand({ command: 'server' }, environment)).toEqual({
      program,
      args: [],
      folder,
      variables: [],
    });
  });

  it('may be an absolute path, which is not changed', async () => {
    const { folder, program, environment } = await machine();
    const link = path.join(folder, 'link');
    await symlink(program, link);
    const request = {
      command: link,
      args: ['', ' a b ', '--x="y"', 'ä'],
      folder: '/',
      variables: ['TOKEN', 'PATH', 'TOKEN'],
    };
    expect(await resolveCommand(request, environment)).toEqual({
      program: link,
      args: ['', ' a b ', '--x="y"', 'ä'],
      folder: '/',
      variables: ['PATH', 'TOKEN'],
    });
  });

  it.each([
    ['no program', { command: '' }],
    ['a program that does not exist', { command: 'other' }],
    ['a folder as the program', { command: 'folder' }],
    ['a relative path', { command: './server' }],
    ['a relative path to another folder', { command: '../second/server' }],
    ['a relative working folder', { command: 'server', folder: 'here' }],
    ['a working folder that does not exist', { command: 'server', folder: '/no/such/folder' }],
    ['a variable that is not set', { command: 'server', variables: ['MISSING'] }],
    ['an invalid name of a variable', { command: 'server', variables: ['A=B'] }],
    ['a line break in an argument', { command: 'server', args: ['a\nb'] }],
    ['a direction mark in an argument', { command: 'server', args: ['\u202etxt.exe'] }],
    ['a null character in an argument', { command: 'server', args: ['a\0b'] }],
    ['too many arguments', { command: 'server', args: Array.from({ length: 101 }, () => 'x') }],
    ['arguments that are too long', { command: 'server', args: ['x'.repeat(5_000), 'x'.repeat(5_000)] }],
  ])('is refused with %s', async (_what, request) => {
    const { environment } = await machine();
    await expect(resolveCommand(request, environment)).rejects.toEqual(refused('command-refused'));
  });

  it('is refused with hidden characters in an argument, and otherwise has the given arguments', async () => {
    const { environment } = await machine();
    const argument = fc.oneof(fc.string(), anyText());
    await fc.assert(
      fc.asyncProperty(fc.array(argument, { maxLength: 5 }), async (args) => {
        const found = await resolveCommand({ command: 'server', args }, environment).catch(() => null);
        expect(found?.args ?? null).toEqual(args.some((one) => hiddenIn(one)) ? null : args);
      }),
    );
  });
});
