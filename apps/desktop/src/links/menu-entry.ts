import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder, writeDurable } from '@svc/runtime/parts';
import { readConfig, writeConfig } from '../agents/config-file.ts';
import { type CommandContext, shellWord, UsageError } from '../commands/command.ts';
import { dataFolder } from '../commands/options.ts';
import { execWord, NPX_CACHE, powerShell, runProgram, windowsWord } from './links.ts';

/** Where an entry is written, and what it starts. */
type EntryPlace = Pick<CommandContext, 'env' | 'platform' | 'home'> & {
  /** The program with all its arguments. None of them is a secret. */
  command: readonly [string, ...string[]];
  /** The data folder of the desktop. */
  folder: string;
  /** The built page, which has the icons. */
  pageFolder: string;
  /** Runs a program of the system. Default: without a shell. */
  run?: (program: string, args: readonly string[]) => Promise<unknown>;
};

/** An entry of the system's menu for this user; `file` is what the menu shows. */
type MenuEntry = { file: string; install(): Promise<void>; remove(): Promise<void> };

const NAME = 'svc-desktop';
const TITLE = 'svc';
const COMMENT = 'Chat with a model that uses the apps on this computer';

const iconOf = ({ pageFolder }: EntryPlace, side: number): Promise<Buffer> =>
  readFile(path.join(pageFolder, `icon-${side}.png`));

async function writeIn(file: string, content: Uint8Array | string): Promise<void> {
  makePrivateFolder(path.dirname(file));
  await writeDurable(file, Buffer.from(content));
}

/** Desktop Entry Specification and Icon Theme Specification. */
function onLinux(place: EntryPlace): MenuEntry {
  const { command, run = runProgram } = place;
  const data = dataFolder(place);
  const applications = path.join(data, 'applications');
  const file = path.join(applications, `${NAME}.desktop`);
  const icons = [192, 512].map((side) => {
    const size = `${side}x${side}`;
    return { side, icon: path.join(data, 'icons', 'hicolor', size, 'apps', `${NAME}.png`) };
  });
  // Without it desktops find the entry at the next login.
  const update = () => run('update-desktop-database', [applications]).catch(() => undefined);
  return {
    file,
    async install() {
      const fields = [
        'Type=Application',
        `Name=${TITLE}`,
        `Comment=${COMMENT}`,
        `Exec=${command.map(execWord).join(' ')}`,
        `Icon=${NAME}`,
        'Terminal=false',
        'Categories=Network;Chat;',
      ];
      for (const { side, icon } of icons) await writeIn(icon, await iconOf(place, side));
      await writeConfig(await readConfig(file), `${['[Desktop Entry]', ...fields].join('\n')}\n`);
      await update();
    },
    async remove() {
      for (const one of [file, ...icons.map(({ icon }) => icon)]) await rm(one, { force: true });
      await update();
    },
  };
}

/** An icon of macOS: a container, here of one picture with 512 pixels (`ic09`). */
function icnsOf(png: Buffer): Buffer {
  const head = Buffer.from('icns\0\0\0\0ic09\0\0\0\0', 'latin1');
  head.writeUInt32BE(png.length + 16, 4);
  head.writeUInt32BE(png.length + 8, 12);
  return Buffer.concat([head, png]);
}

const PLIST = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>CFBundleExecutable</key><string>${TITLE}</string>
  <key>CFBundleIconFile</key><string>icon</string>
  <key>CFBundleIdentifier</key><string>svc.desktop</string>
  <key>CFBundleName</key><string>${TITLE}</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>1.0</string>
  <key>LSUIElement</key><true/>
</dict>
</plist>
`;

/** A bundle whose program ends at once: macOS opens no second window of an app that runs. */
function onMac(place: EntryPlace): MenuEntry {
  const { home, command, run = runProgram } = place;
  const file = path.posix.join(home, 'Applications', `${TITLE}.app`);
  const contents = path.posix.join(file, 'Contents');
  const program = path.posix.join(contents, 'MacOS', TITLE);
  return {
    file,
    async install() {
      await writeIn(path.posix.join(contents, 'Resources', 'icon.icns'), icnsOf(await iconOf(place, 512)));
      await writeIn(path.posix.join(contents, 'Info.plist'), PLIST);
      await writeIn(program, `#!/bin/sh\n${command.map(shellWord).join(' ')} > /dev/null 2>&1 &\n`);
      await run('/bin/chmod', ['700', program]);
    },
    remove: () => rm(file, { recursive: true, force: true }),
  };
}

/** An icon of Windows: a container, here of one PNG picture with 192 pixels. */
function icoOf(png: Buffer): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([192, 192, 0, 0, 1, 0, 32, 0], 6);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

/** A text in PowerShell, which takes typographic quotes for straight ones (about_Quoting_Rules). */
const powerText = (text: string): string => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

/** A shortcut in the Start menu, which only Windows itself writes. Its window is minimised, as Node has a console. */
function onWindows(place: EntryPlace): MenuEntry {
  const { env, home, folder, run = runProgram } = place;
  const [program, ...words] = place.command;
  const roaming = env.APPDATA || path.win32.join(home, 'AppData', 'Roaming');
  const programs = ['Microsoft', 'Windows', 'Start Menu', 'Programs'];
  const file = path.win32.join(roaming, ...programs, `${TITLE}.lnk`);
  const icon = path.join(folder, `${NAME}.ico`);
  const shell = powerShell(env);
  return {
    file,
    async install() {
      if (place.command.some((word) => /[%"]/.test(word)))
        throw new UsageError('Windows cannot start a program from its menu whose folders have % or ".');
      await writeIn(icon, icoOf(await iconOf(place, 192)));
      const fields = [
        ['TargetPath', powerText(program)],
        ['Arguments', powerText(words.map(windowsWord).join(' '))],
        ['IconLocation', powerText(icon)],
        ['Description', powerText(COMMENT)],
        ['WindowStyle', '7'],
      ];
      const script = [
        "$ErrorActionPreference = 'Stop'",
        `$link = (New-Object -ComObject WScript.Shell).CreateShortcut(${powerText(file)})`,
        ...fields.map(([field, value]) => `$link.${field} = ${value}`),
        '$link.Save()',
      ].join('\n');
      const encoded = Buffer.from(script, 'utf16le').toString('base64');
      await run(shell, ['-NoProfile', '-NonInteractive', '-EncodedCommand', encoded]);
    },
    async remove() {
      for (const one of [file, icon]) await rm(one, { force: true });
    },
  };
}

/**
 * The entry of the system's menu that opens the desktop: only for its user, and without elevated privileges.
 * @throws UsageError for a program that npm may delete, and for names with control characters
 */
export function menuEntry(place: EntryPlace): MenuEntry {
  const { command, platform } = place;
  if (command.some((word) => NPX_CACHE.test(word)))
    throw new UsageError(
      'npx runs svc from its cache, which npm may delete. Install svc first: npm install --global STORE/cli.tgz',
    );
  if (command.some((word) => /\p{Cc}/u.test(word)))
    throw new UsageError('The name of a folder has a control character, which no menu takes.');
  if (platform === 'darwin') return onMac(place);
  return platform === 'win32' ? onWindows(place) : onLinux(place);
}
