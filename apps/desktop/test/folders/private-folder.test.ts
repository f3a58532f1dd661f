import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFiles, isPrivateFolder, isWithin } from '../../src/folders/private-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

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

const never = () => new AbortController().signal;

/** A folder with visible, hidden and linked files, and one beside it. */
async function project() {
  const [folder, outside] = await Promise.all([tempFolder(), tempFolder()]);
  await writeFile(join(outside, 'other notes.md'), 'Secret');
  for (const name of ['docs', '.git', 'node_modules', 'docs/notes']) await mkdir(join(folder, name));
  const files = [
    'Notes.md',
    'docs/my notes.txt',
    'docs/notes/plan.md',
    '.env',
    '.git/notes',
    'node_modules/notes.js',
  ];
  for (const name of files) await writeFile(join(folder, name), `Text of ${name}`);
  await symlink(outside, join(folder, 'linked'));
  await symlink(join(outside, 'other notes.md'), join(folder, 'linked notes.md'));
  return { folder, outside };
}

it('finds files by a part of their path, names first, without hidden ones, packages and links', async () => {
  const { folder } = await project();
  const paths = async (query: string, signal = never()) =>
    (await findFiles([folder, join(folder, 'missing')], query, signal)).map(({ path }) => path);
  expect(await paths('NOTES')).toEqual(
    ['Notes.md', 'docs/my notes.txt', 'docs/notes/plan.md'].map((name) => join(folder, name)),
  );
  expect((await findFiles([folder], 'notes.md', never())).map((file) => file.folder)).toEqual(['']);
  expect(await paths('')).toHaveLength(3);
  // A folder inside another: each file once.
  expect(await findFiles([folder, join(folder, 'docs')], 'plan', never())).toHaveLength(1);
  expect(await paths('', AbortSignal.abort())).toEqual([]);
  expect(await findFiles(['/etc', '/'], 'passwd', never())).toEqual([]);
});

it('are offered and read by the page from the folder of the project alone, links resolved', async () => {
  const { folder, outside } = await project();
  const desktop = await openTestDesktop();
  const page = await openPage(desktop);
  const { project: added } = (await page.call('projects.add', { name: 'Notes', folder })).body;
  const find = async (of: string) =>
    (await page.call('projects.findFiles', { project: of, q: 'plan' })).body.files;
  expect(await find(added.id)).toEqual([
    { path: join(folder, 'docs/notes/plan.md'), name: 'plan.md', folder: 'docs/notes' },
  ]);
  // A project without a folder shares nothing.
  expect(await find('project-1')).toEqual([]);
  const get = (path: string, of = added.id) =>
    page.get(`/project-files?${new URLSearchParams({ project: of, path })}`);
  const read = await get(join(folder, 'docs/notes/plan.md'));
  expect([read.status, read.body.toString()]).toEqual([200, 'Text of docs/notes/plan.md']);
  for (const path of ['linked/other notes.md', 'linked notes.md', '../../etc/passwd', 'docs', 'none'])
    expect((await get(join(folder, path))).status, path).toBe(422);
  expect((await get(join(outside, 'other notes.md'))).status).toBe(422);
  expect((await get(join(folder, 'Notes.md'), 'project-1')).status).toBe(422);
  await page.call('projects.allow', { folder: outside });
  expect((await get(join(outside, 'other notes.md'), 'project-1')).body.toString()).toBe('Secret');
});
