import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import {
  bareEnvironment,
  OWN_PROGRAMS,
  ownProgram,
  requirePrograms,
} from '../../src/programs/own-program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'src', 'programs');

describe('the programs of the runtime', () => {
  it('are next to its code, or in the folder that the client names', async () => {
    expect(OWN_PROGRAMS.map((name) => ownProgram(name))).toEqual(
      OWN_PROGRAMS.map((name) => path.join(FOLDER, `${name}.ts`)),
    );
    const folder = await tempFolder();
    for (const name of OWN_PROGRAMS) await writeFile(path.join(folder, `${name}.mjs`), '');
    expect(ownProgram('supervise', { folder })).toBe(path.join(folder, 'supervise.mjs'));
    expect(() => requirePrograms({ folder })).not.toThrow();
  });

  it.each(['esm', 'cjs'] as const)(
    'that a bundle of %s has left out are named at its start, with the option',
    async (format) => {
      const folder = await tempFolder();
      const bundle = await rolldown({ input: path.join(FOLDER, 'own-program.ts'), platform: 'node' });
      const file = `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`;
      await bundle.write({ dir: folder, format, entryFileNames: file });
      await bundle.close();
      const run = (programs: string) =>
        spawnSync(
          process.execPath,
          [
            '-e',
            `import(${JSON.stringify(path.join(folder, file))}).then((made) => made.requirePrograms(${programs}))`,
          ],
          {
            cwd: folder,
            encoding: 'utf8',
          },
        );
      expect(run('{}').stderr).toMatch(
        /TypeError: The program media-process\.js .* option programs\.folder of openRuntime/,
      );
      expect(run(JSON.stringify({ folder: FOLDER }))).toMatchObject({ status: 0, stderr: '' });
    },
  );

  it('run with an environment without secrets', () => {
    process.env.SVC_TOKEN = 'svcp_secret';
    expect(Object.values(bareEnvironment())).not.toContain('svcp_secret');
    delete process.env.SVC_TOKEN;
    expect(Object.keys(bareEnvironment())).not.toContain('HOME');
  });
});
