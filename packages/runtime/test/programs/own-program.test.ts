import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEEP } from '@svc/testkit';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import {
  bareEnvironment,
  OWN_PROGRAMS,
  ownProgram,
  requirePrograms,
} from '../../src/programs/own-program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');
const SOURCES = path.join(ROOT, 'packages', 'runtime', 'src');

/** A client that opens the runtime, and prepares a picture with it. */
const CLIENT = `
import { openRuntime } from ${JSON.stringify(path.join(SOURCES, 'index.ts'))};
import { createPrepare } from ${JSON.stringify(path.join(SOURCES, 'media/prepare.ts'))};
import { defaultSystem } from ${JSON.stringify(path.join(SOURCES, 'platform/default-system.ts'))};
const [, , options, folder] = process.argv;
const programs = JSON.parse(options);
const ask = async () => ({ accepted: false });
const runtime = await openRuntime({ folder, store: 'http://127.0.0.1:9', ask, programs, onFault() {} });
const prepare = createPrepare(defaultSystem, programs);
const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
console.log((await prepare({ bytes, type: 'image/png' }, { op: 'resize', width: 1 }, AbortSignal.timeout(60_000))).type);
await prepare.close();
await runtime.close();
`;

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

  it('are beside an archive of Electron, where they are not packed', async () => {
    const root = await tempFolder();
    const folder = path.join(root, 'app.asar', 'node_modules', 'programs');
    const beside = path.join(root, 'app.asar.unpacked', 'node_modules', 'programs');
    for (const [at, names] of [
      [folder, OWN_PROGRAMS],
      [beside, ['media-process']],
    ] as const) {
      await mkdir(at, { recursive: true });
      for (const name of names) await writeFile(path.join(at, `${name}.js`), '');
    }
    expect(ownProgram('media-process', { folder })).toBe(path.join(beside, 'media-process.js'));
    expect(ownProgram('supervise', { folder })).toBe(path.join(folder, 'supervise.js'));
  });

  it(
    'serve a client that is bundled, in the layout of an Electron package, and that is told of a missing one at its start',
    DEEP,
    async () => {
      const root = await tempFolder();
      const [client, programs] = [
        path.join(root, 'app.asar', 'client.mjs'),
        path.join(root, 'app.asar', 'programs'),
      ];
      // Native and optional modules are installed beside the archive.
      await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
      const source = path.join(root, 'client.ts');
      await writeFile(source, CLIENT);
      const external = /^(?:sharp|mediabunny|libheif-js|@mediabunny\/server|@napi-rs\/keyring)(?:\/|$)/;
      const bundleInto = async (input: string | Record<string, string>, folder: string) => {
        const bundle = await rolldown({
          input,
          platform: 'node',
          external,
          resolve: { mainFields: ['module', 'main'] },
        });
        await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
        await bundle.close();
      };
      await bundleInto({ client: source }, path.dirname(client));
      const run = (options: object) => {
        const words = [
          '--disable-warning=ExperimentalWarning',
          client,
          JSON.stringify(options),
          path.join(root, 'state'),
        ];
        return spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
      };
      expect(run({ folder: programs }).stderr).toMatch(
        /TypeError: The program media-process\.js of @svc\/runtime is not in \S+app\.asar\/programs\. .* option programs\.folder/,
      );
      const inputs = OWN_PROGRAMS.map((name) => [name, path.join(FOLDER, `${name}.ts`)]);
      await bundleInto(Object.fromEntries(inputs), programs.replace('app.asar', 'app.asar.unpacked'));
      expect(run({ folder: programs })).toMatchObject({ stdout: 'image/png\n', stderr: '', status: 0 });
    },
  );

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
