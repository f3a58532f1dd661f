import { expect, test } from 'vitest';
import { FolderError } from '../src/folder-error.ts';

const systemError = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ENOENT', 'missing', 'ui/a does not exist.'],
  ['ENOTDIR', 'not-a-folder', 'ui/a is not a folder.'],
  ['ELOOP', 'link', 'ui/a is a symbolic link: replace it by the file.'],
  ['EACCES', 'unreadable', 'ui/a cannot be read (EACCES).'],
])('%s becomes %s', (code, fault, message) => {
  const cause = systemError(code);
  expect(FolderError.of('ui/a', cause)).toMatchObject({
    name: 'FolderError',
    fault,
    path: 'ui/a',
    message,
    cause,
  });
});

test('other errors are returned unchanged', () => {
  const bug = new TypeError('a bug');
  const earlier = new FolderError('link', 'b', 'b is a link.');
  expect(FolderError.of('a', bug)).toBe(bug);
  expect(FolderError.of('a', earlier)).toBe(earlier);
});
