import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { handlerOf, withDefault } from '../../src/links/handler.ts';
import { tempFolder } from '../support/temp-folder.ts';

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
