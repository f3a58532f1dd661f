import { expect, it } from 'vitest';
import { isPrivateFolder } from '../../src/folders/private-folder.ts';

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
