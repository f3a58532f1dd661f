import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { needs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appBundle, writeApp } from '../support/app-folder.ts';
import { testCli } from '../support/command-context.ts';

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('svc validate --json', () => {
  it('answers alike for a folder and its bundle', async () => {
    const { run, cwd } = await testCli();
    const patch = { manifest: { version: 'one', categories: undefined }, files: { 'extra.txt': 'x' } };
    await writeApp(path.join(cwd, 'app'), patch);
    await writeFile(path.join(cwd, 'app.zip'), appBundle(patch));
    const { code, out } = await run('validate', 'app', 'app.zip', '--json');
    expect(code).toBe(1);
    const [folder, bundle] = linesOf(out);
    expect(folder).toEqual({ ...bundle, path: 'app' });
    expect(Object.keys(folder)).toEqual(['path', 'ok', 'issues']);
    expect(folder.ok).toBe(false);
    expect(folder.issues.map(({ code }: { code: string }) => code).sort()).toEqual([
      'bundle.unexpected',
      'categories.missing',
      'version.format',
    ]);
    for (const issue of folder.issues)
      expect(Object.keys(issue)).toEqual(['code', 'level', 'path', 'message']);
  });

  it('checks a manifest alone for what it says itself', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, { files: { 'assets/icon.svg': undefined } });
    const { code, out } = await run('validate', 'plugin.json', '--json');
    expect({ code, lines: linesOf(out) }).toEqual({
      code: 0,
      lines: [{ path: 'plugin.json', ok: true, issues: [] }],
    });
  });

  it('is content with warnings, and forgiving in dev mode', async () => {
    const { run, cwd } = await testCli();
    const remote = { mcpUrl: 'http://localhost:3000/mcp', domains: [] };
    await writeApp(cwd, { manifest: { remote } });
    expect((await run('validate', '.')).code).toBe(1);
    const { code, out } = await run('validate', '.', '--mode', 'dev', '--json');
    expect(code).toBe(0);
    expect(linesOf(out)).toMatchObject([
      { ok: true, issues: [{ code: 'remote.localhost', level: 'warning' }] },
    ]);
  });

  it('gives one issue for a bundle that no reader should open', async () => {
    const { run, cwd } = await testCli();
    await writeFile(path.join(cwd, 'not-a-zip.svc-app'), 'just text');
    await writeFile(path.join(cwd, 'empty.svc-app'), '');
    const { code, out } = await run('validate', 'not-a-zip.svc-app', 'empty.svc-app', '--json');
    expect(code).toBe(1);
    for (const { ok, issues } of linesOf(out)) {
      expect({ ok, codes: issues.map(({ code }: { code: string }) => code) }).toEqual({
        ok: false,
        codes: ['invalid_bundle'],
      });
    }
  });

  it('gives one issue for a folder that no bundle can be made of', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'app'));
    await symlink('/etc/hosts', path.join(cwd, 'app', 'assets', 'hosts'));
    const { code, out } = await run('validate', 'app', '--json');
    expect(code).toBe(1);
    expect(linesOf(out)[0].issues).toMatchObject([{ code: 'invalid_bundle', path: 'assets/hosts' }]);
  });

  it('does not read a file that is too large to be a bundle', async () => {
    const { run, cwd } = await testCli();
    await writeFile(path.join(cwd, 'huge.svc-app'), '');
    await truncate(path.join(cwd, 'huge.svc-app'), 2 ** 33);
    const { code, out } = await run('validate', 'huge.svc-app', '--json');
    expect(code).toBe(1);
    expect(linesOf(out)[0].issues).toMatchObject([{ code: 'bundle.size', level: 'error' }]);
  });

  it('goes on after a path that is not there, and answers with 2', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'app'));
    const { code, out, err } = await run('validate', 'missing', 'app', '--json');
    expect({ code, err }).toEqual({ code: 2, err: 'svc: missing does not exist.\n' });
    expect(linesOf(out)).toMatchObject([{ path: 'app', ok: true }]);
  });

  it(
    'reads no device',
    needs(process.platform !== 'win32', 'needs device files, which Windows has none of'),
    async () => {
      const { run } = await testCli();
      const { code, err } = await run('validate', '/dev/zero');
      expect({ code, err }).toEqual({ code: 2, err: 'svc: /dev/zero is neither a folder nor a file.\n' });
    },
  );
});

describe('svc validate for people', () => {
  it('shows what is wrong, where, that place in its lines, where to read more, and a count', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, { manifest: { version: 'v1' } });
    const { out } = await run('validate', '.');
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^error version\.format: The version "v1" /),
      '  --> ./plugin.json:5:14  /version',
      '    3 |   "id": "com.example.tidy",',
      '    4 |   "name": "Tidy",',
      '  > 5 |   "version": "v1",',
      '      |              ^^^^',
      '    6 |   "description": "Tidies things up.",',
      '    7 |   "permissions": [',
      '',
      'why, and how to fix it: svc explain version.format',
      '.: 1 error',
      '',
    ]);
  });

  it('adds up several', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'a'));
    await mkdir(path.join(cwd, 'b'));
    const { code, out } = await run('validate', 'a', 'b');
    expect(code).toBe(1);
    expect(out).toContain('1 of 2 apps without errors');
  });

  it('lets no manifest or file name speak to the terminal', async () => {
    const { run, cwd } = await testCli();
    const evil = '\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u202eevil';
    await writeApp(cwd, {
      manifest: { version: evil, id: evil, [evil]: 1, accounts: [{ id: 'a', params: { [evil]: 1 } }] },
      files: { [`ui/${evil.replaceAll('/', '')}.js`]: 'x' },
    });
    for (const args of [['.'], ['plugin.json'], ['.', '--json']]) {
      const { out, err } = await run('validate', ...args);
      expect(out + err).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}/u);
      expect(out.length).toBeGreaterThan(100);
    }
  });

  it('leaves files as they are', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd);
    const before = await readFile(path.join(cwd, 'plugin.json'));
    await run('validate', '.');
    expect(await readFile(path.join(cwd, 'plugin.json'))).toEqual(before);
  });
});

describe('svc validate --sarif', () => {
  it('makes one document of all paths, and answers as ever', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1' } });
    await writeFile(path.join(cwd, 'b.svc-app'), appBundle({ files: { 'README.md': undefined } }));
    const { code, out, err } = await run('validate', 'app', 'missing', 'b.svc-app', '--sarif');
    expect({ code, err }).toEqual({ code: 2, err: 'svc: missing does not exist.\n' });
    const [{ results, invocations }] = JSON.parse(out).runs;
    const uris = results.map(
      (result: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }) =>
        result.locations[0].physicalLocation.artifactLocation.uri,
    );
    expect(uris).toEqual(['app/plugin.json', 'b.svc-app']);
    expect(invocations[0].executionSuccessful).toBe(false);
  });

  it.each([
    { args: ['--json', '--sarif'], says: '--json and --sarif' },
    { args: ['--watch', '--sarif'], says: '--sarif makes one document' },
  ])('is wrong use with $args', async ({ args, says }) => {
    const { run, cwd } = await testCli();
    await writeApp(cwd);
    const { code, out, err } = await run('validate', '.', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
  });
});

describe('svc validate --fix', () => {
  const broken = { manifest: { version: 'v1', publisher: undefined } };

  it('says what it fixed, then what remains', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, broken);
    const { code, out } = await run('validate', '.', '--fix');
    expect(code).toBe(1);
    expect(out).toMatch(/^fixed {2}version\.format {2}\/version {2}"v1" → "1\.0\.0"\n/);
    expect(out).toContain('publisher.missing');
    expect(out).not.toContain('error version.format');
    expect(JSON.parse(await readFile(path.join(cwd, 'plugin.json'), 'utf8')).version).toBe('1.0.0');
  });

  it.each(['--json', '--sarif'])('keeps what it fixed out of the answer with %s', async (form) => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, { manifest: { version: 'v1' } });
    const { code, out, err } = await run('validate', '.', '--fix', form);
    expect(code).toBe(0);
    expect(err).toContain('fixed  version.format');
    expect(out).not.toContain('fixed');
    expect(Object.keys(JSON.parse(out))).toEqual(
      form === '--json' ? ['path', 'ok', 'issues'] : ['$schema', 'version', 'runs'],
    );
  });

  it('is wrong use for a bundle, and still fixes the others', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1' } });
    await writeFile(path.join(cwd, 'app.svc-app'), appBundle());
    const { code, out, err } = await run('validate', 'app.svc-app', 'app', '--fix');
    expect(code).toBe(2);
    expect(err).toContain('app.svc-app is a bundle');
    expect(out).toContain('app: no problems');
  });

  it('lets no manifest speak to the terminal with what was fixed', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, {
      manifest: { version: ' 1.0.0\u001b[2J\u202e', branding: { icon: './assets/\u001b[2J.svg' } },
    });
    const { out, err } = await run('validate', '.', '--fix');
    expect(out + err).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}/u);
  });
});

describe('svc validate --watch', () => {
  const watching = async (...options: string[]) => {
    const controller = new AbortController();
    const cli = await testCli({}, { interrupted: () => controller.signal });
    await writeApp(path.join(cli.cwd, 'app'));
    const ended = cli.run('validate', 'app', '--watch', ...options);
    onTestFinished(() => controller.abort());
    return { ...cli, ended, end: () => controller.abort() };
  };

  /** Long enough for a check to be over. */
  const settle = () => new Promise((resolve) => setTimeout(resolve, 1_000));

  it('answers after every change until it is interrupted', async () => {
    const { cwd, ended, end } = await watching('--json');
    await settle();
    await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1' } });
    await settle();
    end();
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(linesOf(out).map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('sets the answers for people apart', async () => {
    const { ended, end } = await watching();
    await settle();
    end();
    expect((await ended).out).toBe('--- 03:04:05 ---\napp: no problems\n');
  });
});
