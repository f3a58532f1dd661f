import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { readMachineSettings } from '../../src/network/machine-settings.ts';
import { readPolicyStore } from '../../src/network/policy-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const sample = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../deploy/mdm', name), 'utf8');

/** What `reg query` prints of a value. */
const queried = (value: string, type = 'REG_SZ') =>
  `\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\svc\r\n    Settings    ${type}    ${value}\r\n\r\n`;

const onWindows = (output: string | null) => readPolicyStore('win32', {}, { runs: () => output });

/** What the sample of a place for device management sets. */
const SAMPLES: Record<string, () => unknown> = {
  'managed.json': () => JSON.parse(sample('managed.json')),
  'windows.reg': () => JSON.parse(JSON.parse(`"${/="(.*)"/.exec(sample('windows.reg'))?.[1]}"`)),
  'windows.ps1': () => JSON.parse(/@'\n(.*)\n'@/.exec(sample('windows.ps1'))?.[1] ?? ''),
  'macos.mobileconfig': () =>
    Object.fromEntries(
      Array.from(
        sample('macos.mobileconfig').matchAll(
          /<key>([a-z]\w+)<\/key><(?:string>([^<]+)<\/string>|(true)\/>)/g,
        ),
        ([, name, text]) => [name, text ?? true],
      ),
    ),
};

describe('the policies of Windows', () => {
  it('are the text of one value of the registry', () => {
    const runs: unknown[] = [];
    const found = readPolicyStore(
      'win32',
      { SystemRoot: 'D:\\Windows' },
      {
        runs: (...words) => {
          runs.push(words);
          return queried('{"exportChats": false}');
        },
      },
    );
    expect(found).toEqual({
      place: 'HKLM\\SOFTWARE\\Policies\\svc\\Settings',
      text: '{"exportChats": false}',
    });
    expect(runs).toEqual([
      [
        'D:\\Windows\\System32\\reg.exe',
        ['query', 'HKLM\\SOFTWARE\\Policies\\svc', '/v', 'Settings', '/reg:64'],
      ],
    ]);
  });

  it('are none without the value, and refused with one of another type', () => {
    expect(onWindows(null)).toBeNull();
    expect(() => onWindows(queried('0x1', 'REG_DWORD'))).toThrow(/must be a text \(REG_SZ\)/);
  });
});

describe('the managed preferences of macOS', () => {
  const onMac = async (mode: number, output: string | null) => {
    const file = join(await tempFolder(), 'svc.desktop.plist');
    await writeFile(file, '');
    await chmod(file, mode);
    return readPolicyStore('darwin', {}, { file, runs: () => output });
  };

  it(
    'are converted, without what the profile adds',
    needs(process.getuid?.() === 0, 'needs root'),
    async () => {
      const found = await onMac(0o644, '{"exportChats":false,"PayloadUUID":"1"}');
      expect(found).toMatchObject({ text: '{"exportChats":false}' });
    },
  );

  it('are refused where others may write them, and when they cannot be read', async () => {
    await expect(onMac(0o666, '{}')).rejects.toThrow(/must belong to root/);
    if (process.getuid?.() === 0) await expect(onMac(0o644, null)).rejects.toThrow(/not a property list/);
    expect(readPolicyStore('darwin', {}, { file: '/no/such/file', runs: () => '{}' })).toBeNull();
  });
});

it('come before the file, which counts without them', async () => {
  const file = join(await tempFolder(), 'managed.json');
  await writeFile(file, '{"developerMode": false}');
  const read = (text: string | null) =>
    readMachineSettings('win32', file, () => (text === null ? null : { place: 'the registry', text }))
      .managed;
  expect(read(null)).toEqual({ developerMode: false });
  expect(read('{"exportChats": false}')).toEqual({ exportChats: false });
  expect(() => read('{')).toThrow('the registry cannot be used: it is not JSON.');
});

it.each(Object.entries(SAMPLES))('the sample %s sets what the others set', async (_name, read) => {
  const settings = readMachineSettings('win32', '/no/such/file', () => ({
    place: 'the sample',
    text: JSON.stringify(read()),
  }));
  expect(settings).toMatchObject({
    store: 'https://apps.corp.example',
    settingsFromStore: true,
    managed: {},
  });
  expect(read()).toEqual(JSON.parse(sample('managed.json')));
});
