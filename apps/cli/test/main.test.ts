import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { generateSigningKeyPem, readSigningKey } from '@svc/signing';
import { eventually } from '@svc/testkit/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/commands/index.ts';
import { appBundle, writeApp } from './support/app-folder.ts';
import { tempFolder, testCli } from './support/command-context.ts';
import { deviceStore, PENDING } from './support/device-store.ts';
import { type RealStore, startRealStore } from './support/real-store.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const BIN = path.join(ROOT, 'apps/cli/bin/svc.js');

const runBin = (args: string[], nodeArgs: string[] = [], cwd = ROOT) => {
  const env = { PATH: process.env.PATH ?? '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, BIN, ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
};

describe('the program', () => {
  it('prints its version, and loads no unneeded modules for it', async () => {
    const hooks = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'apps/cli/package.json'), 'utf8'));
    const { code, out, err } = runBin(
      ['--version'],
      ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`],
    );
    expect({ code, out }).toEqual({ code: 0, out: `${version}\n` });
    expect(err).toContain('/apps/cli/src/main.ts');
    // The path of the clone may contain these names.
    expect(err.replaceAll(pathToFileURL(ROOT).href, '')).not.toMatch(
      /\/packages\/(?!bundle\/src\/private-files\.ts|contracts\/src\/(?:causes|guarded|this-machine)\.ts|runtime\/src\/(?:keyring\/|browser\/|network\/(?:env-proxy|policy-store)\.ts|programs\/own-program\.ts)|text\/src\/(?:escape|clean|hidden|joiners)\.ts)|node_modules\/(?!commander)/,
    );
  });

  it('finds no problems in the example app', () => {
    const { code, out } = runBin(['validate', 'examples/hello-notes', '--json']);
    expect({ code, out }).toEqual({
      code: 0,
      out: '{"path":"examples/hello-notes","ok":true,"issues":[]}\n',
    });
  });

  it('exits with 1 for errors in an app, and with 2 for a usage error', async () => {
    const cwd = await tempFolder();
    await writeFile(path.join(cwd, 'plugin.json'), '{}');
    expect(runBin(['validate', 'plugin.json'], [], cwd).code).toBe(1);
    expect(runBin(['validate', 'nothing-here'], [], cwd).code).toBe(2);
  });

  it.each([
    { args: [], says: 'Usage: svc' },
    { args: ['frobnicate'], says: "unknown command 'frobnicate'" },
    { args: ['validate'], says: "missing required argument 'path'" },
    { args: ['validate', 'x', '--mode', 'production'], says: "argument 'production' is invalid" },
    { args: ['yank', 'com.example.tidy', '1.0.0'], says: "'--reason <text>' not specified" },
    { args: ['pack', 'a', 'b'], says: 'too many arguments' },
  ])('reports $args as a usage error', async ({ args, says }) => {
    const { run } = await testCli();
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
  });

  it('prints all commands with --help', async () => {
    const { run } = await testCli();
    const { code, out, err } = await run('--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const { name, summary } of COMMANDS)
      expect(out).toContain(`\n  ${name}`.padEnd(19) + summary.slice(0, 30));
  });

  it('has no option for a token, and does not print a given one', async () => {
    const { run } = await testCli();
    const { code, err } = await run('publish', '.', '--token=svcd_0123456789abcdefghijABCDEFGHIJ12345');
    expect(code).toBe(2);
    expect(err).toContain('unknown option');
    expect(err).not.toContain('0123456789abcdef');
  });
});

it('stops waiting for a sign-in on SIGINT, and leaves no files', async () => {
  const cwd = await tempFolder();
  const store = await deviceStore({ polls: [PENDING], start: { interval: 1 } });
  const child = spawn(process.execPath, [BIN, 'login', '--store', store.url], {
    cwd,
    env: { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const exited = once(child, 'exit');
  await eventually(() => expect(store.seen.at(-1)?.url).toBe('/api/developer/device/poll'));
  child.kill('SIGINT');
  expect(await exited).toEqual([130, null]);
  const [out, err] = await output;
  expect(out).toContain('B C D F - G H J K');
  expect(err).toBe('svc: Cancelled; no token was saved.\n');
  expect(await readdir(cwd)).toEqual([]);
});

describe('the commands with a real store', () => {
  let store: RealStore;
  let token = '';

  beforeAll(async () => {
    store = await startRealStore();
    await store.admin('/api/admin/publishers', { slug: 'example', name: 'Example', verified: true });
    ({ token } = (await store.admin('/api/admin/tokens', { publisher: 'example' })) as { token: string });
  });

  afterAll(() => store.stop());

  const developer = async () => {
    const cli = await testCli({ SVC_STORE: store.url, SVC_TOKEN: token });
    return { ...cli, app: await writeApp(path.join(cli.cwd, 'app')) };
  };

  const approve = (id: string, version: string) =>
    store.admin(`/api/moderation/apps/${id}/versions/${version}/approve`, {});

  /** Publishes a first version with its own app id. */
  const published = async (id: string) => {
    const cli = await developer();
    await writeApp(cli.app, { manifest: { id } });
    expect((await cli.run('publish', 'app')).code).toBe(0);
    await approve(id, '1.0.0');
    expect((await cli.run('pack', 'app', '-o', 'app.svc-app')).code).toBe(0);
    return cli;
  };

  it('publish an app, verify its bundle, and publish and yank updates', async () => {
    const id = 'com.example.journey';
    const { run, app, cwd } = await developer();
    await writeApp(app, { manifest: { id } });

    expect(await run('validate', 'app')).toMatchObject({ code: 0, out: 'app: no problems\n' });
    expect(await run('pack', 'app')).toMatchObject({ code: 0 });
    const bundle = `${id}-1.0.0.svc-app`;

    const dry = await run('publish', 'app', '--dry-run');
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out).toContain(`would publish  ${id} 1.0.0`);
    expect(await run('status', id, '1.0.0')).toMatchObject({ code: 1 });
    const first = await run('publish', bundle);
    // No such server exists.
    expect(first).toMatchObject({
      code: 0,
      err: 'note: the tools of the server were not recorded: The app’s server cannot be reached.\n',
    });
    expect(first.out).toContain(`in review  ${id} 1.0.0`);
    expect(first.out).toContain('first-version: It is the first version of this app');
    expect((await run('status', id, '1.0.0')).out).toContain('in review');
    expect(await run('info', id)).toMatchObject({ code: 1 });

    await approve(id, '1.0.0');
    expect(JSON.parse((await run('status', id, '1.0.0', '--json')).out)).toMatchObject({
      status: 'published',
    });
    expect((await run('info', id)).out).toContain('✓ Verified by this store; ✓ Signed; ✓ Reviewed');

    const fromStore = await run('verify', `${id}@1.0.0`);
    expect(fromStore).toMatchObject({ code: 0 });
    expect(fromStore.out).toContain(`verified  ${id} 1.0.0`);
    expect(fromStore.out).toContain('api.example.com, mcp.example.com');
    expect(fromStore.out).toContain('Scope of the account: read (list)');
    expect(fromStore.err).toContain('first use');
    const fromFile = await run('verify', bundle);
    expect(fromFile).toMatchObject({ code: 0, err: '' });
    expect(fromFile.out).toContain('pinned for this store');

    await writeApp(app, { manifest: { id, version: '1.0.1' } });
    const update = await run('publish', 'app');
    expect(update).toMatchObject({ code: 0 });
    expect(update.out).toContain(`published  ${id} 1.0.1`);
    expect(update.out).toContain(`page  ${store.url}/apps/${id}\n`);
    expect((await run('list', '--mine')).out).toContain(`${id}  1.0.1`);

    const remote = {
      mcpUrl: 'https://mcp.example.com/mcp',
      domains: ['api.example.com', 'more.example.com'],
    };
    await writeApp(app, { manifest: { id, version: '1.1.0', remote } });
    const preview = await run('publish', 'app', '--dry-run', '--json');
    expect(JSON.parse(preview.out)).toMatchObject({ dryRun: true, version: '1.1.0', baseVersion: '1.0.1' });
    const wider = await run('publish', 'app');
    const asJson = JSON.parse((await run('status', id, '1.1.0', '--json')).out);
    expect(asJson).toMatchObject({ status: 'in_review' });
    expect(JSON.parse(preview.out).changes).toMatchObject([{ path: expect.any(String), widens: true }]);
    expect(wider.out).toContain('permissions-widened');
    expect(wider.out).toContain(
      '  Changes from 1.0.1:\n    Asks for new permissions:\n      + Contacts: more.example.com\n',
    );

    const again = await run('publish', 'app');
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain('version_not_greater');
    expect(again.err).toContain('latest version uploaded: 1.1.0');
    expect(again.err).toMatch(/request id: \S/);

    const yanked = await run('yank', id, '1.0.1', '--reason', 'It tidied too much.');
    expect(yanked.out).toContain('It tidied too much.');
    expect(await run('verify', `${id}@1.0.1`)).toMatchObject({ code: 1, out: '' });
    expect(await readFile(path.join(cwd, bundle))).toEqual(Buffer.from(appBundle({ manifest: { id } })));
  });

  it('refuse to verify a file that differs from the signed bundle', async () => {
    const id = 'com.example.tampered';
    const { run, cwd } = await published(id);
    const files = { 'README.md': '# Tidy, with something added\n' };
    await writeFile(path.join(cwd, 'tampered.svc-app'), appBundle({ manifest: { id }, files }));
    const { code, out, err } = await run('verify', 'tampered.svc-app');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('SHA-256 differs');

    const bytes = await readFile(path.join(cwd, 'app.svc-app'));
    bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
    await writeFile(path.join(cwd, 'broken.svc-app'), bytes);
    const broken = await run('verify', 'broken.svc-app');
    expect(broken).toMatchObject({ code: 1 });
    expect(broken.out).toContain('invalid_bundle');
  });

  it('refuse to verify with a key other than the trusted one', async () => {
    const id = 'com.example.keys';
    const { run, cwd, env } = await published(id);
    const stranger = readSigningKey(generateSigningKeyPem());
    await writeFile(path.join(cwd, 'stranger.pem'), stranger.publicKeyPem);

    const named = await run('verify', 'app.svc-app', '--key', 'stranger.pem');
    expect(named).toMatchObject({ code: 1, out: '' });
    expect(named.err).toContain(stranger.keyId);

    expect(await run('verify', 'app.svc-app')).toMatchObject({ code: 0 });
    const pins = path.join(env.XDG_CONFIG_HOME ?? '', 'svc', 'keys.json');
    const { keyId, publicKeyPem } = stranger;
    await writeFile(pins, JSON.stringify({ stores: { [store.url]: { keyId, publicKeyPem } } }));
    const changed = await run('verify', 'app.svc-app');
    expect(changed).toMatchObject({ code: 1, out: '' });
    expect(changed.err).toContain(pins);
  });

  it('report an unauthorized token without printing it', async () => {
    const { run } = await developer();
    const cli = await testCli({ SVC_STORE: store.url, SVC_TOKEN: 'svcc_not-a-token-of-this-store' });
    await writeApp(path.join(cli.cwd, 'app'));
    const wrong = await cli.run('publish', 'app');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('unauthorized');
    expect(wrong.err).not.toContain('not-a-token-of-this-store');
    expect(await run('publish', 'app/plugin.json')).toMatchObject({ code: 2 });
  });
});
