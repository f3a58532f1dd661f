import path from 'node:path';
import { expect, it } from 'vitest';
import { UsageError } from '../../src/commands/command.ts';
import { commandOf, defaultFolder, readOptions } from '../../src/commands/options.ts';

it('reads the given options, and uses defaults for the others', () => {
  const words = [
    'dir',
    '--store',
    'https://store.example.com',
    '--folder',
    'state',
    '--port',
    '4000',
    '--no-open',
  ];
  expect(readOptions({ env: {} }, words)).toEqual({
    rest: ['dir'],
    options: {
      store: 'https://store.example.com',
      folder: path.resolve('state'),
      port: 4_000,
      open: false,
      app: false,
      page: undefined,
      localApps: false,
      localConnectors: false,
      keyFile: false,
      approvals: undefined,
      untilIdle: false,
      menu: undefined,
      fromMenu: false,
    },
  });
  const { options } = readOptions({ env: { SVC_STORE: 'https://other.example.com' } }, ['--local-apps']);
  expect(options).toMatchObject({ store: 'https://other.example.com', port: 0, open: true, localApps: true });
  expect(readOptions({ env: {} }, []).options.store).toBe('http://localhost:8787');
});

it('is said again as a command: with what was given, quoted, and nothing else', () => {
  const again = (words: string[]) => commandOf(readOptions({ env: {} }, words).options);
  expect(again(['--no-open', '--page', '/store'])).toBe('svc desktop');
  const words = [
    '--store',
    'https://store.example.com',
    '--port',
    '4000',
    '--app',
    '--key-file',
    '--local-apps',
  ];
  expect(again(words)).toBe(
    'svc desktop --store https://store.example.com --app --port 4000 --local-apps --key-file',
  );
  expect(again(['--folder', "/home/anna/it's mine"])).toBe(`svc desktop --folder '/home/anna/it'\\''s mine'`);
});

it('prefers --approvals to SVC_APPROVALS, and has no default for it', () => {
  const said = (words: string[], env = {}) => readOptions({ env }, words).options.approvals;
  expect(said([])).toBeUndefined();
  expect(said([], { SVC_APPROVALS: '' })).toBeUndefined();
  expect(said([], { SVC_APPROVALS: 'page' })).toBe('page');
  expect(said(['--approvals', 'agent'], { SVC_APPROVALS: 'page' })).toBe('agent');
  expect(() => said(['--approvals', 'never'])).toThrow('"agent" or "page"');
  expect(() => said([], { SVC_APPROVALS: 'PAGE' })).toThrow('"agent" or "page"');
});

it('ignores SVC_APPROVALS with --until-idle, except for the stricter value "page"', () => {
  const said = (value: string) =>
    readOptions({ env: { SVC_APPROVALS: value } }, ['--until-idle']).options.approvals;
  expect(said('agent')).toBeUndefined();
  expect(said('page')).toBe('page');
});

it.each([
  [['--page', 'store']],
  [['--page', '/store&to=/apps']],
  [['--port', '70000']],
  [['--port', '0x10']],
  [['--port', '-1']],
  [['--port']],
  [['--what']],
  [['--store']],
])('rejects %j with a message of one line', (words) => {
  expect(() => readOptions({ env: {} }, words)).toThrow(UsageError);
  expect(() => readOptions({ env: {} }, words)).toThrow(/^[^\n]+\.$/);
});

it.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', {}, '/home/me/.local/share/svc/desktop'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/svc/desktop'],
  ['linux', { XDG_DATA_HOME: 'data' }, '/home/me/.local/share/svc/desktop'],
  ['darwin', { XDG_DATA_HOME: '/data' }, '/home/me/Library/Application Support/svc/desktop'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/svc/desktop'],
])('uses the data folder of %s with %j', (platform, env, folder) => {
  expect(defaultFolder({ platform, env, home: '/home/me' }, 'desktop')).toBe(folder);
});

it('uses a separate data folder for development', () => {
  const world = { platform: 'linux' as const, env: {}, home: '/home/me' };
  expect(defaultFolder(world, 'dev')).toBe('/home/me/.local/share/svc/dev');
});
