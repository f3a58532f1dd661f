import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { needs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/command-record.ts';
import { appBundle, writeApp } from '../support/app-folder.ts';
import { testCli } from '../support/command-context.ts';

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('svc validate --json', () => {
  it('gives the same result for a folder and its bundle', async () => {
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

  it('checks only the manifest for the path of a plugin.json', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, { files: { 'assets/icon.svg': undefined } });
    const { code, out } = await run('validate', 'plugin.json', '--json');
    expect({ code, lines: linesOf(out) }).toEqual({
      code: 0,
      lines: [{ path: 'plugin.json', ok: true, issues: [] }],
    });
  });

  it('succeeds with warnings, and downgrades errors in dev mode', async () => {
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

  it('reports one issue for an ambiguous bundle', async () => {
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

  it('reports one issue for a folder that cannot be packed', async () => {
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

  it('continues after a path that does not exist, and exits with 2', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'app'));
    const { code, out, err } = await run('validate', 'missing', 'app', '--json');
    expect({ code, err }).toEqual({ code: 2, err: 'svc: missing does not exist.\n' });
    expect(linesOf(out)).toMatchObject([{ path: 'app', ok: true }]);
  });

  it(
    'does not read a device',
    needs(process.platform !== 'win32', 'needs device files, which Windows has none of'),
    async () => {
      const { run } = await testCli();
      const { code, err } = await run('validate', '/dev/zero');
      expect({ code, err }).toEqual({ code: 2, err: 'svc: /dev/zero is neither a folder nor a file.\n' });
    },
  );
});

describe('svc validate as text', () => {
  it('shows findings with their source lines, a hint, and a count', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, { manifest: { version: 'v1' } });
    const { out } = await run('validate', '.');
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^error version\.format: "version" must be a semantic version/),
      '  --> ./plugin.json:5:14  /version',
      '    3 |   "id": "com.example.tidy",',
      '    4 |   "name": "Tidy",',
      '  > 5 |   "version": "v1",',
      '      |              ^^^^',
      '    6 |   "description": "Tidies things up.",',
      '    7 |   "permissions": [',
      '',
      'To learn more, run: svc explain version.format',
      '.: 1 error',
      '',
    ]);
  });

  it('sums up several paths', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'a'));
    await mkdir(path.join(cwd, 'b'));
    const { code, out } = await run('validate', 'a', 'b');
    expect(code).toBe(1);
    expect(out).toContain('1 of 2 apps without errors');
  });

  it('escapes control characters in manifests and file names', async () => {
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
  it('prints one document for all paths, with the same exit code', async () => {
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
    { args: ['--json', '--sarif'], says: '--json cannot be used with --sarif' },
    { args: ['--watch', '--sarif'], says: '--sarif cannot be used with --watch' },
  ])('reports $args as a usage error', async ({ args, says }) => {
    const { run, cwd } = await testCli();
    await writeApp(cwd);
    const { code, out, err } = await run('validate', '.', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
  });
});

describe('svc validate --fix', () => {
  const broken = { manifest: { version: 'v1', publisher: undefined } };

  it('reports the fixes, then the remaining findings', async () => {
    const { run, cwd } = await testCli();
    await writeApp(cwd, broken);
    const { code, out } = await run('validate', '.', '--fix');
    expect(code).toBe(1);
    expect(out).toMatch(/^fixed {2}version\.format {2}\/version {2}"v1" → "1\.0\.0"\n/);
    expect(out).toContain('publisher.missing');
    expect(out).not.toContain('error version.format');
    expect(JSON.parse(await readFile(path.join(cwd, 'plugin.json'), 'utf8')).version).toBe('1.0.0');
  });

  it.each(['--json', '--sarif'])('prints the fixes to standard error with %s', async (form) => {
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

  it('reports a bundle as a usage error, and fixes the other paths', async () => {
    const { run, cwd } = await testCli();
    await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1' } });
    await writeFile(path.join(cwd, 'app.svc-app'), appBundle());
    const { code, out, err } = await run('validate', 'app.svc-app', 'app', '--fix');
    expect(code).toBe(2);
    expect(err).toContain('app.svc-app is a bundle');
    expect(out).toContain('app: no problems');
  });

  it('escapes control characters in fixed values', async () => {
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

  it('checks after every change until it is interrupted', async () => {
    const { cwd, ended, end } = await watching('--json');
    await settle();
    await writeApp(path.join(cwd, 'app'), { manifest: { version: 'v1' } });
    await settle();
    end();
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(linesOf(out).map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('separates the results in text output', async () => {
    const { ended, end } = await watching();
    await settle();
    end();
    expect((await ended).out).toBe('--- 03:04:05 ---\napp: no problems\n');
  });
});

describe('svc validate --live', () => {
  const tools = [{ id: 'tidy_up', name: 'Tidy', description: 'Tidies.' }];
  const checked = async (listTools: CommandContext['listTools']) => {
    const cli = await testCli({}, listTools && { listTools });
    await writeApp(path.join(cli.cwd, 'app'), { manifest: { contributes: { tools } } });
    return cli.run('validate', 'app', '--live', '--json');
  };
  const serving = (name: string) => checked(async () => ({ tools: [{ name }], ttlMs: 0 }));

  it('reports the tools that the server does not have', async () => {
    const { code, out } = await serving('tidy-up');
    expect([code, JSON.parse(out).issues]).toMatchObject([
      0,
      [{ code: 'tools.served', level: 'warning', path: '/contributes/tools/0/id' }],
    ]);
    expect(JSON.parse((await serving('tidy_up')).out).issues).toEqual([]);
  });

  it('fails when the server cannot be listed', async () => {
    const { code, err } = await checked(undefined);
    expect(code).not.toBe(0);
    expect(err).toContain('The tools of the server cannot be listed');
  });
});
