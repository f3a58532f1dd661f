import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import { openerOf, openWith, PAGE_MS, pageOpener, removePages } from '../../src/browser/page-opener.ts';
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
    expect(openerOf({ platform, env })?.[0]).toBe(opener);
    expect(pageOpener({ platform, env, folder: '' }) !== undefined).toBe(opener !== undefined);
  });
});

/** A browser that records its arguments and the page that it was given. */
async function browserIn(folder: string) {
  const program = path.join(folder, 'browser');
  const out = path.join(folder, 'out');
  await writeFile(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$#" "$1" "token=$SVC_TOKEN" > '${out}.tmp'\nmv '${out}.tmp' '${out}'\n`,
  );
  await chmod(program, 0o755);
  const asked = async () => {
    await eventually(async () => expect(await readFile(out, 'utf8')).not.toBe(''));
    const [count, argument = '', token] = (await readFile(out, 'utf8')).split('\n');
    return { count, argument, token };
  };
  return { program, asked };
}

const ADDRESS = 'https://sign-in.example/?state=s3cret&b="><script>$(id)#key=o\'ne';
const PAGE = /^svc-open-[0-9a-f]{32}\.html$/;

describe('opening a page', () => {
  it('passes one argument, without a shell, the token and the URL, which all users could read', async () => {
    const folder = await tempFolder();
    const { program, asked } = await browserIn(folder);
    const env = { PATH: process.env.PATH, SVC_TOKEN: 'svcd_secret' };
    expect(await openWith([program], ADDRESS, { platform: 'linux', env, folder })).toBe(true);
    const { count, argument, token } = await asked();
    expect({ count, token }).toEqual({ count: '1', token: 'token=' });
    expect(argument).not.toMatch(/s3cret|key=/);
    const file = fileURLToPath(argument);
    expect(path.dirname(file)).toBe(folder);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const page = await readFile(file, 'utf8');
    expect(page).toContain('state=s3cret&#38;b=%22%3E%3Cscript%3E$(id)#key=o\'ne"');
    expect(page).not.toContain('<script>');
  });

  it('gives a browser that is a snap a file that it can read', async () => {
    const home = await tempFolder();
    const { program, asked } = await browserIn(home);
    await mkdir(path.join(home, 'snap'));
    const place = { platform: 'linux', env: { HOME: home }, folder: path.join(home, '.hidden') } as const;
    await openWith([program], ADDRESS, place);
    const { argument } = await asked();
    expect(path.dirname(fileURLToPath(argument))).toBe(home);
    expect(path.basename(fileURLToPath(argument))).toMatch(PAGE);
  });

  it('removes pages when they are old, and all of them at the end', async () => {
    const folder = await tempFolder();
    const place = { platform: 'linux', env: {}, folder } as const;
    const pages = async () => (await readdir(folder)).filter((name) => PAGE.test(name));
    await openWith(['true'], ADDRESS, place);
    const [first = ''] = await pages();
    await utimes(path.join(folder, first), 0, 0);
    await writeFile(path.join(folder, 'svc-open-mine.html'), 'of the user');
    await openWith(['true'], ADDRESS, place);
    const left = await pages();
    expect(left).toHaveLength(1);
    expect(left).not.toContain(first);
    removePages(place, PAGE_MS);
    expect(await pages()).toEqual(left);
    removePages(place, -1_000);
    expect(await readdir(folder)).toEqual(['svc-open-mine.html']);
  });

  it('passes the URL itself where arguments are private to the user', async () => {
    const folder = await tempFolder();
    const { program, asked } = await browserIn(folder);
    const env = { WSL_DISTRO_NAME: 'Debian' };
    await openWith([program], 'https://store.example/a', { platform: 'linux', env, folder });
    expect((await asked()).argument).toBe('https://store.example/a');
  });

  it('opens only pages of the web, and returns false when the program does not exist', async () => {
    const folder = await tempFolder();
    const place = { platform: 'linux', env: {}, folder } as const;
    for (const address of ['javascript:alert(1)', 'file:///etc/passwd'])
      expect(await openWith(['true'], address, place)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
    expect(await openWith(['/nonexistent/browser'], 'https://store.example/', place)).toBe(false);
  });
});
