import { execFile, spawn, spawnSync } from 'node:child_process';
import { access, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bareEnvironment, DEEP, needs, ownProgram } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { menuEntry } from '../../src/links/menu-entry.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ICONS = path.join(import.meta.dirname, '../../page/public');
const ODD = `/data/a $(touch x) \`y\` 50% "q" \\ ;'é’`;

/** A user's computer, with the commands that were run on it. */
async function computer(platform: NodeJS.Platform, command: [string, ...string[]]) {
  const home = await tempFolder();
  const ran: string[][] = [];
  const entry = menuEntry({
    ...{ platform, home, command, env: {}, folder: path.join(home, 'data'), pageFolder: ICONS },
    run: async (program, args) => {
      ran.push([program, ...args]);
    },
  });
  return { home, ran, entry };
}

/** The words of `Exec` (Desktop Entry Specification, "The Exec key"): escapes of a value, then quotes, then field codes. */
function wordsOf(text: string): string[] {
  const [, value = ''] = /^Exec=(.*)$/m.exec(text) ?? [];
  const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', s: ' ', '\\': '\\' };
  const exec = value.replace(/\\([nrts\\])/g, (_, letter: string) => escapes[letter] ?? '');
  const words = exec.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];
  return words
    .map((word) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(["`$\\])/g, '$1') : word))
    .map((word) => word.replace(/%(.)/g, (_, code: string) => (code === '%' ? '%' : '')));
}

describe('an entry of the menu', () => {
  it('is on Linux a desktop entry with icons, whose words are those of the command, and goes', async () => {
    const command: [string, ...string[]] = ['/opt/no de', '/opt/svc/main.js', '--folder', ODD];
    const { home, ran, entry } = await computer('linux', command);
    await entry.install();
    await entry.install();
    const text = await readFile(entry.file, 'utf8');
    expect(wordsOf(text)).toEqual(command);
    expect(text.split('\n').filter((line) => line.startsWith('Exec='))).toHaveLength(1);
    expect(ran[0]).toEqual(['update-desktop-database', [path.dirname(entry.file)]].flat());
    const icons = path.join(home, '.local/share/icons/hicolor');
    const icon = path.join(icons, '512x512/apps/svc-desktop.png');
    expect(await readFile(icon)).toEqual(await readFile(path.join(ICONS, 'icon-512.png')));
    await entry.remove();
    await entry.remove();
    for (const file of [entry.file, icon, path.join(icons, '192x192/apps/svc-desktop.png')])
      await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is on macOS a bundle with an icon, whose program ends at once', async () => {
    const { ran, entry } = await computer('darwin', ['/opt/node', "/opt/o'clock/main.js", '--folder', ODD]);
    await entry.install();
    const program = path.join(entry.file, 'Contents/MacOS/svc');
    const quoted = `'${ODD.replaceAll("'", String.raw`'\''`)}'`;
    expect(await readFile(program, 'utf8')).toBe(
      `#!/bin/sh\n'/opt/node' '/opt/o'\\''clock/main.js' '--folder' ${quoted} > /dev/null 2>&1 &\n`,
    );
    expect(ran).toEqual([['/bin/chmod', '700', program]]);
    const icon = await readFile(path.join(entry.file, 'Contents/Resources/icon.icns'));
    expect([icon.toString('latin1', 0, 4), icon.readUInt32BE(4)]).toEqual(['icns', icon.length]);
    expect(icon.readUInt32BE(12)).toBe(icon.length - 8);
    expect(await readFile(path.join(entry.file, 'Contents/Info.plist'), 'utf8')).toContain(
      '<key>CFBundleExecutable</key><string>svc</string>',
    );
    await entry.remove();
    await expect(access(entry.file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is on Windows a shortcut of the Start menu, which PowerShell writes', async () => {
    const program = 'C:\\Program Files\\node.exe';
    const { home, ran, entry } = await computer('win32', [
      program,
      'C:\\it’s\\main.js',
      '--folder',
      'C:\\a b\\',
    ]);
    await entry.install();
    const [shell = '', ...args] = ran[0] ?? [];
    expect(shell).toBe('C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    const script = Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
    expect(args.slice(0, -1)).toEqual(['-NoProfile', '-NonInteractive', '-EncodedCommand']);
    expect(script).toContain(`$link.TargetPath = '${program}'\n`);
    // A typographic quote would end the text, too.
    expect(script).toContain(`$link.Arguments = '"C:\\it’’s\\main.js" "--folder" "C:\\a b\\\\"'\n`);
    const icon = await readFile(path.join(home, 'data', 'svc-desktop.ico'));
    expect(icon.subarray(icon.readUInt32LE(18))).toEqual(await readFile(path.join(ICONS, 'icon-192.png')));
    const odd = await computer('win32', [program, 'C:\\%TEMP%\\main.js']);
    await expect(odd.entry.install()).rejects.toThrow(/have % or "/);
  });

  it.each([
    ['a line break', '/data/a\nExec=evil', /control character/],
    ['the cache of npx', '/home/a/.npm/_npx/12/main.js', /Install svc first/],
  ])('is refused for a name with %s', (_what, word, message) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(() =>
        menuEntry({
          ...{ platform, home: '/home/a', env: {}, folder: '/data', pageFolder: ICONS },
          command: ['/opt/node', word],
        }),
      ).toThrow(message);
  });
});

const HAS_VALIDATOR = !spawnSync('desktop-file-validate', ['--version']).error;
const NEEDS_LINUX = needs(process.platform === 'linux', 'needs the menu of Linux');

describe('svc desktop --install', NEEDS_LINUX, () => {
  /** A home with a browser that records what it opens. */
  async function openHome() {
    const home = await tempFolder();
    const bin = path.join(home, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'chromium'), `#!/bin/sh\nprintf '%s\\n' "$@" >> "${bin}/asked"\n`);
    await chmod(path.join(bin, 'chromium'), 0o755);
    const env = { ...bareEnvironment(), HOME: home, DISPLAY: ':0', PATH: `${bin}:/usr/bin:/bin` };
    const folder = path.join(home, 'a $(b) 50% "c"');
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, [ownProgram('desktop'), 'desktop', ...words], { env });
    const asked = async () =>
      (await readFile(path.join(bin, 'asked'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    return {
      home,
      env,
      folder,
      run,
      asked,
      entry: path.join(home, '.local/share/applications/svc-desktop.desktop'),
    };
  }

  it(
    'makes an entry that starts the program and opens its page, and opens it again while it runs',
    DEEP,
    async () => {
      const { env, folder, run, asked, entry } = await openHome();
      const options = ['--folder', folder, '--store', 'http://127.0.0.1:1', '--key-file', '--local-apps'];
      await run('--install', ...options);
      const [program = '', ...words] = wordsOf(await readFile(entry, 'utf8'));
      expect(words).toEqual(expect.arrayContaining(options));
      // No other setting reaches a program of the menu.
      const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      const said: string[] = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(String(text)));
      await eventually(async () => expect(await asked()).toHaveLength(1));
      const again = await promisify(execFile)(program, words, { env });
      const opened = await asked();
      expect(opened).toHaveLength(2);
      const pages = opened.map((word) => readFile(fileURLToPath(word.replace('--app=', '')), 'utf8'));
      const links = (await Promise.all(pages)).map(
        (page) => /http:\/\/localhost:\d+\/#key=[\w-]+/.exec(page)?.[0],
      );
      expect(new Set(links).size).toBe(2);
      expect(links).not.toContain(undefined);
      // What it says is in the journal, and what it gets in the list of processes.
      expect([said.join(''), again.stdout, words.join(' ')].join('')).not.toMatch(/#key=/);
      await run('--uninstall');
      expect(await readdir(path.dirname(entry))).not.toContain('svc-desktop.desktop');
    },
  );

  it('makes a valid entry', needs(HAS_VALIDATOR, 'needs desktop-file-validate'), async () => {
    const { folder, run, entry } = await openHome();
    await run('--install', '--folder', folder);
    const { stdout } = await promisify(execFile)('desktop-file-validate', [entry]);
    expect(stdout).toBe('');
  });

  it('refuses an address of a store with a password, and both options at once', DEEP, async () => {
    const { run } = await openHome();
    await expect(run('--install', '--store', 'https://me:secret@store.example.com')).rejects.toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining('secret'),
    });
    await expect(run('--install', '--uninstall')).rejects.toMatchObject({ code: 2 });
  });
});
