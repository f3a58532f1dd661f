import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { expect, it } from 'vitest';
import { openSettings } from '../../src/settings/open-settings.ts';
import { tempFolder } from '../support/temp-folder.ts';

const open = (folder: string) => openSettings(defaultSystem, folder);
const refused = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message) });

it('saves settings, and shares them between two instances', async () => {
  const [folder, work] = [await tempFolder(), await tempFolder()];
  const [one, other] = [open(folder), open(folder)];
  const project = await one.addProject('Work', work);
  expect(other.projects()).toEqual([{ id: 'project-1', name: 'My project', folder: null }, project]);
  await other.saveAppValues('com.example.notes', { tone: 'dry' });
  expect(one.appValues('com.example.notes')).toEqual({ tone: 'dry' });
  await one.removeProject('project-1');
  expect(open(folder).projects()).toEqual([project]);
});

it('loses no change with concurrent writes', async () => {
  const folder = await tempFolder();
  const settings = [open(folder), open(folder)];
  const values = Array.from({ length: 20 }, (_, i) => i);
  await Promise.all(values.map((i) => settings[i % 2]?.saveAppValues(`app-${i}`, { i })));
  expect(values.map((i) => open(folder).appValues(`app-${i}`))).toEqual(values.map((i) => ({ i })));
});

it('refuses to remove the last project, and an unknown one', async () => {
  const settings = open(await tempFolder());
  await expect(settings.removeProject('project-1')).rejects.toThrow(refused(/cannot be removed/));
  await expect(settings.removeProject('project-9')).rejects.toThrow(refused(/not found/));
});

it('does not overwrite a file that it cannot read', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'settings.json');
  for (const text of ['{', '{"version":2}', 'null']) {
    await writeFile(file, text);
    expect(() => open(folder)).toThrow(/cannot be read/);
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});

it('refuses to share a folder that overlaps its own, also through a link', async () => {
  const outer = await tempFolder();
  const folder = path.join(outer, 'data', 'desktop');
  const beside = path.join(outer, 'data', 'work');
  await mkdir(path.join(folder, 'files'), { recursive: true });
  await mkdir(beside);
  const link = path.join(beside, 'link');
  await symlink(folder, link);
  const settings = open(folder);
  for (const bad of ['/', outer, folder, path.join(folder, 'files'), link, path.join(beside, '..')]) {
    await expect(settings.allowFolder(bad)).rejects.toThrow(refused(/contains the data of svc desktop/));
    await expect(settings.addProject('Bad', bad)).rejects.toThrow(
      refused(/contains the data of svc desktop/),
    );
  }
  await expect(settings.allowFolder('work')).rejects.toThrow(refused(/full path/));
  await expect(settings.allowFolder(path.join(beside, 'missing'))).rejects.toThrow(refused(/does not exist/));
  await settings.allowFolder(`${beside}/../work`);
  expect(settings.allowedFolders()).toEqual([beside]);
  await settings.disallowFolder(beside);
  expect(settings.allowedFolders()).toEqual([]);
});
