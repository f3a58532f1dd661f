import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import { openerOf, openWith, pageOpener } from '../../src/browser/page-opener.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('the page opener', () => {
  it.each<{ platform: NodeJS.Platform; env: Record<string, string>; opener: string | undefined }>([
    { platform: 'linux', env: {}, opener: undefined },
    { platform: 'linux', env: { DISPLAY: ':0' }, opener: 'xdg-open' },
    { platform: 'freebsd', env: { WAYLAND_DISPLAY: 'wayland-0' }, opener: 'xdg-open' },
    { platform: 'linux', env: { DISPLAY: ':10', SSH_CONNECTION: '::1 1 ::1 22' }, opener: undefined },
    { platform: 'darwin', env: {}, opener: '/usr/bin/open' },
    { platform: 'darwin', env: { SSH_TTY: '/dev/ttys1' }, opener: undefined },
    { platform: 'win32', env: { SystemRoot: 'D:\\Win' }, opener: 'D:\\Win\\System32\\rundll32.exe' },
    { platform: 'win32', env: {}, opener: 'C:\\Windows\\System32\\rundll32.exe' },
  ])('is $opener on $platform with $env', ({ platform, env, opener }) => {
    expect(openerOf(platform, env)?.[0]).toBe(opener);
    expect(pageOpener(platform, env) !== undefined).toBe(opener !== undefined);
  });
});

describe('opening a page', () => {
  it('passes the URL as one argument, without a shell and without the token', async () => {
    const folder = await tempFolder();
    const program = path.join(folder, 'browser');
    const out = path.join(folder, 'out');
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" "token=$SVC_TOKEN" > '${out}.tmp'\nmv '${out}.tmp' '${out}'\n`,
    );
    await chmod(program, 0o755);
    const address = 'https://store.example/?a=$(id)&b=;id;`id` x';
    const env = { PATH: process.env.PATH, SVC_TOKEN: 'svcd_secret' };
    expect(await openWith([program], address, env)).toBe(true);
    await eventually(async () => expect(await readFile(out, 'utf8')).toBe(`1\n${address}\ntoken=\n`));
  });

  it('returns false when the program does not exist', async () => {
    expect(await openWith(['/nonexistent/browser'], 'https://store.example/', {})).toBe(false);
  });
});
