import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixFile } from '../../src/manifest-file/fix-file.ts';
import { appBundle, writeApp } from '../support/app-folder.ts';
import { tempFolder } from '../support/command-context.ts';

const brokenApp = async () => {
  const cwd = await tempFolder();
  await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1.0.0' } });
  return { cwd, file: path.join(cwd, 'app', 'plugin.json') };
};

describe('fixing a file', () => {
  it.each(['app', 'app/plugin.json'])(
    'writes the manifest of %s, and keeps its permission bits',
    async (shown) => {
      const { cwd, file } = await brokenApp();
      await chmod(file, 0o666);
      const before = await readFile(file, 'utf8');
      expect(await fixFile(cwd, shown, 'store')).toMatchObject([{ code: 'version.format' }]);
      expect(await readFile(file, 'utf8')).toBe(before.replace('v1.0.0', '1.0.0'));
      expect((await stat(file)).mode & 0o777).toBe(0o666);
      expect((await readdir(path.dirname(file))).sort()).toEqual(['README.md', 'assets', 'plugin.json']);
    },
  );

  it('writes nothing when there is nothing to fix', async () => {
    const { cwd, file } = await brokenApp();
    await fixFile(cwd, 'app', 'store');
    const before = await stat(file, { bigint: true });
    expect(await fixFile(cwd, 'app', 'store')).toEqual([]);
    const after = await stat(file, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  it('uses the files of the folder', async () => {
    const { cwd, file } = await brokenApp();
    await writeApp(path.dirname(file), { manifest: { branding: { icon: './assets/icon.svg' } } });
    expect(await fixFile(cwd, 'app', 'store')).toMatchObject([
      { code: 'branding.icon', after: 'assets/icon.svg' },
    ]);
  });

  it('refuses a symbolic link', async () => {
    const { cwd, file } = await brokenApp();
    const before = await readFile(file, 'utf8');
    await symlink(file, path.join(cwd, 'plugin.json'));
    await expect(fixFile(cwd, 'plugin.json', 'store')).rejects.toThrow('is a symbolic link');
    await mkdir(path.join(cwd, 'linked'));
    await symlink(file, path.join(cwd, 'linked', 'plugin.json'));
    expect(await fixFile(cwd, 'linked', 'store')).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe(before);
    expect((await lstat(path.join(cwd, 'linked', 'plugin.json'))).isSymbolicLink()).toBe(true);
  });

  it('refuses a bundle', async () => {
    const { cwd } = await brokenApp();
    const bytes = appBundle({ manifest: { version: 'v1' } });
    await writeFile(path.join(cwd, 'app.svc-app'), bytes);
    await expect(fixFile(cwd, 'app.svc-app', 'store')).rejects.toMatchObject({ exitCode: 2 });
    expect(new Uint8Array(await readFile(path.join(cwd, 'app.svc-app')))).toEqual(bytes);
  });
});
