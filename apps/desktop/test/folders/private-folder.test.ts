import { expect, it } from 'vitest';
import { isPrivateFolder, isWithin } from '../../src/folders/private-folder.ts';

const HOME = '/home/ada';

it.each([
  '/',
  '/etc',
  '/etc/ssh',
  '/proc/1',
  '/sys',
  '/home',
  '/root',
  '/var',
  HOME,
  `${HOME}/.ssh`,
  `${HOME}/.gnupg/a`,
])('no project may have %s', (folder) => {
  expect(isPrivateFolder(folder, HOME)).toBe(true);
});

it.each([`${HOME}/site`, '/srv/site', '/home/ada-two', '/tmp/x', '/dev/shm/x', '/etcetera', '/opt/site'])(
  'a project may have %s',
  (folder) => {
    expect(isPrivateFolder(folder, HOME)).toBe(false);
  },
);

it.each([
  ['/home/anna/work', '/home/anna/work', true],
  ['/home/anna/work/a.png', '/home/anna/work', true],
  ['/home/anna/work/..hidden', '/home/anna/work', true],
  ['/anything', '/', true],
  ['/home/anna/workshop', '/home/anna/work', false],
  ['/home/anna', '/home/anna/work', false],
  ['/home/anna/work/../secret', '/home/anna/work', false],
])('%s in %s: %s', (path, folder, is) => {
  expect(isWithin(path, folder)).toBe(is);
});
