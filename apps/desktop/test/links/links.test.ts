import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { expect, it } from 'vitest';
import { createLinks, handlerOf, withDefault } from '../../src/links/links.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

const LINK = { action: 'install', appId: 'com.example.notes', store: 'https://other.example' } as const;

async function links(program: [string, ...string[]] = [process.execPath, '/nowhere/main.js']) {
  const home = await tempFolder();
  const stopped = new AbortController().signal;
  const made = createLinks({
    ...{
      home,
      folder: path.join(home, 'desktop'),
      program,
      stopped,
      platform: 'linux',
      env: { SVC_TOKEN: 'svcp_secret' },
    },
    ...{ system: defaultSystem, store: 'https://store.example.com', run: async () => undefined },
  });
  return { folder: path.join(home, 'desktop'), links: made };
}

it('asks before it opens a store that is new here, and keeps stores apart', async () => {
  const { folder, links: made } = await links();
  expect(await made.open(LINK, false)).toBeNull();
  await mkdir(path.join(folder, 'stores', 'https%3A%2F%2Fother.example'), { recursive: true, mode: 0o700 });
  // No question: it starts the desktop of that store, here a program that does not exist.
  await expect(made.open(LINK, false)).rejects.toThrow(/did not start. See .*https%3A%2F%2Fother\.example/);
});

it('asks once, also after a refusal, and says how to install where npx runs it', async () => {
  const { links: made } = await links();
  expect(await made.view()).toEqual({ isOn: false, isAsked: false, install: null });
  await made.turn(false);
  expect(await made.view()).toEqual({ isOn: false, isAsked: true, install: null });
  await made.turn(true);
  expect(await made.view()).toMatchObject({ isOn: true });
  const temporary = await links(['/usr/bin/node', '/home/a/.npm/_npx/12/node_modules/@svc/cli/main.js']);
  expect(await temporary.links.view()).toMatchObject({
    install: 'npm install --global https://store.example.com/cli.tgz',
  });
});

it('checks what a page asks for, and names no link of another store without an answer', async () => {
  const { links: made } = await links();
  const page = await openPage(await openTestDesktop({ links: made }));
  const open = (store: string) => page.call('links.open', { ...LINK, store, isAgreed: true });
  for (const store of ['http://other.example', 'file:///etc', 'https://u:p@other.example'])
    expect(await open(store)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(await page.call('links.open', { ...LINK, isAgreed: false })).toMatchObject({ body: { link: null } });
  expect((await page.call('store.ratingPage', { appId: LINK.appId })).body.url).toMatch(
    /\/account\/apps\/com\.example\.notes\/review#install=[\w.~-]+$/,
  );
});

/** A user's computer, with the commands that were run on it. */
async function computer(platform: NodeJS.Platform, program: [string, ...string[]]) {
  const home = await tempFolder();
  const ran: (readonly string[])[] = [];
  const handler = handlerOf({
    ...{ platform, home, program, env: {}, store: 'https://store.example.com' },
    folder: '/data/svc desktop',
    run: async (command, args) => {
      ran.push([command, ...args]);
    },
  });
  return { home, ran, handler };
}

it('registers on Linux with a desktop entry and a default, and removes only those', async () => {
  const { home, handler } = await computer('linux', ['/opt/node', '/opt/50% "svc"/main.js']);
  const list = path.join(home, '.config/mimeapps.list');
  const entry = path.join(home, '.local/share/applications/svc-links.desktop');
  await mkdir(path.dirname(list));
  const before =
    '[Added Associations]\ntext/plain=vim.desktop;\n\n[Default Applications]\ntext/html=firefox.desktop\n';
  await writeFile(list, before);
  expect(await handler.isOn()).toBe(false);
  await handler.turnOn();
  await handler.turnOn();
  expect(await handler.isOn()).toBe(true);
  const text = await readFile(entry, 'utf8');
  // Only words that need quotes have them: xdg-open splits at spaces and keeps quotes.
  expect(text).toContain(
    String.raw`Exec=/opt/node "/opt/50%% \\"svc\\"/main.js" install --folder "/data/svc desktop" --store https://store.example.com -- %u` +
      '\n',
  );
  expect(text).toContain('MimeType=x-scheme-handler/svc;\n');
  expect(await readFile(list, 'utf8')).toBe(
    before.replace(
      '[Default Applications]\n',
      '[Default Applications]\nx-scheme-handler/svc=svc-links.desktop\n',
    ),
  );
  await handler.turnOff();
  expect(await handler.isOn()).toBe(false);
  expect(await readFile(list, 'utf8')).toBe(before);
  await expect(access(entry)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('takes over the default of another program only to turn on, and creates the section', () => {
  const other = '[Default Applications]\nx-scheme-handler/svc=other.desktop\n';
  expect(withDefault(other, false)).toBe(other);
  expect(withDefault(other, true)).toBe('[Default Applications]\nx-scheme-handler/svc=svc-links.desktop\n');
  expect(withDefault('', true)).toBe('[Default Applications]\nx-scheme-handler/svc=svc-links.desktop\n');
});

it('registers on macOS with an applet that passes the link as one quoted word', async () => {
  const { ran, handler } = await computer('darwin', ['/opt/no"de', "/opt/o'clock/main.js"]);
  await handler.turnOn();
  const [[program, , , , script = ''] = []] = ran;
  expect(program).toBe('/usr/bin/osacompile');
  expect(script).toContain(
    String.raw`do shell script "'/opt/no\"de' '/opt/o'\\''clock/main.js' 'install' '--folder' '/data/svc desktop' '--store' 'https://store.example.com' '--' " & quoted form of link`,
  );
  expect(ran.map(([command]) => path.posix.basename(command ?? ''))).toEqual([
    ...['osacompile', 'plutil', 'plutil', 'plutil', 'codesign', 'lsregister'],
  ]);
});

it('registers on Windows for this user only, with the link after the options', async () => {
  const { ran, handler } = await computer('win32', ['C:\\node.exe', 'C:\\svc\\main.js']);
  await handler.turnOn();
  expect(ran.at(-1)).toEqual([
    'C:\\Windows\\System32\\reg.exe',
    ...['add', 'HKCU\\Software\\Classes\\svc\\shell\\open\\command', '/ve', '/d'],
    '"C:\\node.exe" "C:\\svc\\main.js" "install" "--folder" "/data/svc desktop" "--store" "https://store.example.com" "--" "%1"',
    '/f',
  ]);
  await handler.turnOff();
  expect(ran.at(-1)?.slice(1)).toEqual(['delete', 'HKCU\\Software\\Classes\\svc', '/f']);
});
