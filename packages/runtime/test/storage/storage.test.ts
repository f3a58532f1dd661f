import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { folderStorage } from '../../src/storage/storage.ts';
import { describeStorage } from '../support/storage-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

describeStorage('storage in a folder', async () => {
  const folder = await tempFolder();
  return {
    open: folderStorage,
    folder: async () => folder,
    code: `(await import(sources + 'storage/storage.ts')).folderStorage({ system, folder })`,
    async stored() {
      const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
      return Buffer.concat(
        await Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name)))),
      );
    },
    async age() {
      const database = new DatabaseSync(path.join(folder, 'library.sqlite'));
      database.exec('pragma user_version = 1000');
      database.close();
    },
  };
});
