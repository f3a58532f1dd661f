import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makePrivateFolder, openPrivateFolder, writeDurable } from '@svc/runtime/parts';
import { readConfig, writeConfig } from '../agents/config-file.ts';
import { type CommandContext, shellWord } from '../commands/command.ts';
import { findOrStartDesktop } from '../gateway/find-or-start-desktop.ts';
import { pageOfLink, type StoreLink } from './read-link.ts';

/** Where a handler is registered, and the program that it starts: a command with its first arguments. */
type HandlerPlace = Pick<CommandContext, 'env' | 'platform' | 'home' | 'program'> & {
  folder: string;
  store: string;
  /** Runs a program of the system. Default: without a shell. */
  run?: (program: string, args: readonly string[]) => Promise<unknown>;
};

/** The handler of `svc:` links of this user. */
type Handler = { isOn(): Promise<boolean>; turnOn(): Promise<void>; turnOff(): Promise<void> };

const SCHEME = 'svc';

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Windows' own PowerShell, whatever another folder of `PATH` has. */
export const powerShell = (env: NodeJS.ProcessEnv): string =>
  path.win32.join(
    ...[env.SystemRoot || 'C:\\Windows', 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe'],
  );

/** Runs a program of the system, without a shell. */
export const runProgram = (program: string, args: readonly string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(program, [...args], { timeout: 30_000 });

/** The command line without the link, which comes last, after `--`: nothing in a link is read as an option. */
const commandOf = ({ program, folder, store }: HandlerPlace): string[] => [
  ...program,
  ...['install', '--folder', folder, '--store', store, '--'],
];

/**
 * A word of `Exec` (Desktop Entry Specification, "The Exec key"), quoted only if it must be: xdg-open splits at spaces. A line break would
 * begin another key.
 */
export const execWord = (word: string): string =>
  (/^[\w@+=:,./-]+$/.test(word) ? word : `"${word.replace(/[\\"`$]/g, '\\$&')}"`)
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll('%', '%%');

const ENTRY = 'svc-links.desktop';
const DEFAULTS = '[Default Applications]';
const KEY = `x-scheme-handler/${SCHEME}=`;

/** Sets or removes our line of `mimeapps.list` (MIME applications specification, "Default Application"). */
export function withDefault(text: string, isOn: boolean): string {
  const lines = text.split('\n').filter((line) => !(line.startsWith(KEY) && (isOn || line.includes(ENTRY))));
  if (!isOn) return lines.join('\n');
  const at = lines.indexOf(DEFAULTS);
  if (at === -1)
    return [...lines.filter((line, n) => line !== '' || n > 0), DEFAULTS, `${KEY}${ENTRY}`, ''].join('\n');
  return lines.toSpliced(at + 1, 0, `${KEY}${ENTRY}`).join('\n');
}

function onLinux(place: HandlerPlace): Handler {
  const { env, home, run = runProgram } = place;
  const folderOf = (given: string | undefined, ...fallback: string[]) =>
    given && path.isAbsolute(given) ? given : path.join(home, ...fallback);
  const applications = path.join(folderOf(env.XDG_DATA_HOME, '.local', 'share'), 'applications');
  const entry = path.join(applications, ENTRY);
  const list = path.join(folderOf(env.XDG_CONFIG_HOME, '.config'), 'mimeapps.list');
  const change = async (isOn: boolean) => {
    const found = await readConfig(list);
    await writeConfig(found, withDefault(found.text ?? '', isOn));
    // Without it desktops find the entry at the next login.
    await run('update-desktop-database', [applications]).catch(() => undefined);
  };
  return {
    isOn: async () =>
      (await exists(entry)) && ((await readConfig(list)).text ?? '').includes(`${KEY}${ENTRY}`),
    async turnOn() {
      const exec = [...commandOf(place).map(execWord), '%u'].join(' ');
      const fields = [
        'Type=Application',
        'Name=svc links',
        `Exec=${exec}`,
        'NoDisplay=true',
        `MimeType=${KEY.slice(0, -1)};`,
      ];
      await writeConfig(await readConfig(entry), `${['[Desktop Entry]', ...fields].join('\n')}\n`);
      await change(true);
    },
    async turnOff() {
      await rm(entry, { force: true });
      await change(false);
    },
  };
}

const appleText = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** An applet: macOS hands links only to app bundles. */
function onMac(place: HandlerPlace): Handler {
  const { home, run = runProgram } = place;
  const app = path.posix.join(home, 'Applications', 'svc links.app');
  const list = path.posix.join(app, 'Contents', 'Info.plist');
  const register =
    '/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister';
  const command = `${commandOf(place).map(shellWord).join(' ')} `;
  const script = `on open location link\ndo shell script ${appleText(command)} & quoted form of link & " > /dev/null 2>&1 &"\nend open location`;
  const types = JSON.stringify([{ CFBundleURLName: SCHEME, CFBundleURLSchemes: [SCHEME] }]);
  return {
    isOn: () => exists(list),
    async turnOn() {
      makePrivateFolder(path.posix.dirname(app));
      await run('/usr/bin/osacompile', ['-o', app, '-e', script]);
      await run('/usr/bin/plutil', ['-replace', 'CFBundleURLTypes', '-json', types, list]);
      await run('/usr/bin/plutil', ['-replace', 'CFBundleIdentifier', '-string', 'svc.links', list]);
      await run('/usr/bin/plutil', ['-replace', 'LSUIElement', '-bool', 'true', list]);
      // The changes end the signature that osacompile made.
      await run('/usr/bin/codesign', ['--force', '--sign', '-', app]);
      await run(register, ['-f', app]);
    },
    async turnOff() {
      await run(register, ['-u', app]).catch(() => undefined);
      await rm(app, { recursive: true, force: true });
    },
  };
}

/** A word as Windows programs read their command line: file names have no quotes there. */
export const windowsWord = (word: string): string => `"${word.replace(/(?<!\\)\\+$/, '$&$&')}"`;

function onWindows(place: HandlerPlace): Handler {
  const { env, run = runProgram } = place;
  const program = path.win32.join(env.SystemRoot || 'C:\\Windows', 'System32', 'reg.exe');
  const key = `HKCU\\Software\\Classes\\${SCHEME}`;
  const reg = (...args: string[]) => run(program, args);
  const command = [...commandOf(place), '%1'].map(windowsWord).join(' ');
  return {
    isOn: () =>
      reg('query', `${key}\\shell\\open\\command`).then(
        () => true,
        () => false,
      ),
    async turnOn() {
      await reg('add', key, '/ve', '/d', 'URL:svc', '/f');
      await reg('add', key, '/v', 'URL Protocol', '/d', '', '/f');
      await reg('add', `${key}\\shell\\open\\command`, '/ve', '/d', command, '/f');
    },
    turnOff: async () => void (await reg('delete', key, '/f').catch(() => undefined)),
  };
}

/** The handler of `svc:` links on this system: only for its user, and without elevated privileges. */
export function handlerOf(place: HandlerPlace): Handler {
  if (place.platform === 'darwin') return onMac(place);
  return place.platform === 'win32' ? onWindows(place) : onLinux(place);
}

/** The cache folder of npx; npm may empty it at any time. */
export const NPX_CACHE = /[\\/]_npx[\\/]/;

/** What this desktop does with links. */
export function createLinks(deps: HandlerPlace & Parameters<typeof findOrStartDesktop>[0]) {
  const { folder, store, program, env } = deps;
  const handler = handlerOf(deps);
  const asked = path.join(folder, 'links-asked');
  const isTemporary = program.some((word) => NPX_CACHE.test(word));
  return {
    /** `install`: the command that installs svc first, where it runs from a cache; null where links can be turned on. */
    view: async () => ({
      isOn: await handler.isOn(),
      isAsked: existsSync(asked),
      install: isTemporary ? `npm install --global ${store}/cli.tgz` : null,
    }),
    /** Registers the handler, or removes it. The question is not asked again. */
    async turn(isOn: boolean) {
      openPrivateFolder(folder);
      await (isOn ? handler.turnOn() : handler.turnOff());
      await writeDurable(asked, Buffer.from(''));
    },
    /**
     * Opens the desktop of another store, which has a folder of its own.
     * @param isAgreed whether the user agreed to a store that is new on this computer
     * @returns a one-time link to its page; null for a new store
     */
    async open(link: StoreLink, isAgreed: boolean): Promise<string | null> {
      const other = path.join(folder, 'stores', encodeURIComponent(link.store));
      if (!isAgreed && !existsSync(other)) return null;
      // The token is for the store of this desktop only.
      const { SVC_TOKEN: _token, SVC_STORE: _store, ...rest } = env;
      const settings = { store: link.store, localApps: false, localConnectors: false };
      const desktop = await findOrStartDesktop({ ...deps, env: rest }, other, settings);
      return `${await desktop.newLink()}&to=${pageOfLink(link)}`;
    },
  };
}

/** Links of web pages, which this desktop opens if the user agreed. */
export type Links = ReturnType<typeof createLinks>;
