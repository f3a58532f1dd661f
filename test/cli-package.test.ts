import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { DEEP, hasProgram, needs, png } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readServedCli } from '../apps/store/src/extensions/cli/served-cli.ts';
import { serveMcp, text } from '../packages/runtime/test/support/mcp-server.ts';
import { bundleCli } from '../tools/release/bundle-cli.ts';
import { packCli } from '../tools/release/pack-cli.ts';
import { ownSystems, packSystem } from '../tools/release/pack-systems.ts';
import { ROOT } from '../tools/release/targets.ts';
import { SBOM_FILE } from '../tools/release/write-notices.ts';

let folder: string;
let manifest: Record<string, unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-package-'));
  await bundleCli(join(folder, 'package'));
  manifest = JSON.parse(await readFile(join(folder, 'package', 'package.json'), 'utf8'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const svc = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'package/bin/svc.js'), ...args],
    { cwd: folder, encoding: 'utf8', env: { HOME: folder, PATH: process.env.PATH ?? '' } },
  );
  return { status, stdout, stderr };
};

describe('the package of the command line', () => {
  it('needs no other package, and names those for pictures and the keyring', () => {
    expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([
      'optionalDependencies',
    ]);
    expect(Object.keys(manifest.optionalDependencies as object)).toEqual([
      'sharp',
      'libheif-js',
      '@napi-rs/keyring',
    ]);
  });

  it('runs outside the repository: itself, its checks, and the desktop inside', () => {
    expect(svc('--version')).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
    const example = join(ROOT, 'examples/hello-notes');
    expect(svc('validate', example, '--json')).toMatchObject({ status: 0, stderr: '' });
    expect(svc('connect', 'codex', '--yes', '--folder', join(folder, 'desktop'))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('codex'),
    });
  });

  it('starts the programs of local connectors', () => {
    const supervise = join(folder, 'package', 'lib', 'supervise.js');
    const words = [String(process.pid), process.execPath, '-e', 'process.exit(7)'];
    expect(spawnSync(process.execPath, [supervise, ...words]).status).toBe(7);
  });

  it('stores its compile cache for its user only', () => {
    svc('--version');
    expect(existsSync(join(folder, '.cache', 'svc', 'compiled'))).toBe(true);
  });

  it('contains the licences of its contents, and an SBOM', async () => {
    const licences = await readFile(join(folder, 'package', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(await readFile(join(folder, 'package', SBOM_FILE), 'utf8'));
    expect(components.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['commander', 'zod', 'undici', 'sanitize-html']),
    );
    for (const { name, version } of components) expect(licences).toContain(`\n${name} ${version} (`);
  });
});

/** The example app in a folder, with a server of the test and without its account. */
async function pinboardAt(url: string): Promise<string> {
  const app = join(folder, 'pinboard');
  await cp(join(ROOT, 'examples/pinboard/app'), app, { recursive: true });
  const { accounts: _, ...manifest } = JSON.parse(await readFile(join(app, 'plugin.json'), 'utf8'));
  for (const tool of manifest.contributes.tools) delete tool.account;
  manifest.remote.mcpUrl = url.replace('127.0.0.1', 'localhost');
  await writeFile(join(app, 'plugin.json'), JSON.stringify(manifest));
  return app;
}

describe('the command line from a store', () => {
  it('runs with npx without a registry, and uses that store', DEEP, async () => {
    const asked: string[] = [];
    let tarball: Uint8Array = new Uint8Array();
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/cli.tgz') {
        response.end(tarball);
        return;
      }
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"code":"not_found","message":"There is no such app.","requestId":"1"}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    tarball = Uint8Array.from((await readServedCli(await packCli(join(folder, 'packed')), base)).body);
    const env = {
      HOME: folder,
      PATH: process.env.PATH ?? '',
      npm_config_cache: join(folder, 'npm'),
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_update_notifier: 'false',
      // npm goes on without optional packages as soon as it has given up on the registry.
      npm_config_fetch_retries: '0',
    };
    const args = ['--yes', `${base}/cli.tgz`, 'info', 'com.example.notes'];
    const program = spawn('npx', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [said] = await Promise.all([readAll(program.stderr), once(program, 'exit')]);
    expect(said).toContain('There is no such app.');
    expect(asked.filter((url) => url !== '/cli.tgz')).toEqual([
      expect.stringContaining('/com.example.notes'),
    ]);
  });

  it('runs from one file where there is no Node', {
    ...DEEP,
    ...needs(hasProgram('unzip'), 'needs unzip'),
  }, async () => {
    const [system] = ownSystems();
    if (!system) return;
    const { file } = await packSystem(system, await packCli(join(folder, 'alone')), folder);
    spawnSync('unzip', ['-q', file, '-d', folder]);
    const env = { HOME: join(folder, 'without-node'), PATH: '/usr/bin:/bin' };
    const svc = join(folder, basename(file, '.zip'), 'svc');
    const { stdout, stderr } = spawnSync(svc, ['--version'], { env, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([`${manifest.version}\n`, '']);
    const program = spawn(join(svc, '..', 'chat'), ['--no-open'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      program.kill();
      await once(program, 'close');
    });
    const [said] = (await once(program.stdout, 'data')) as [Buffer];
    const link = /http:\S+/.exec(said.toString())?.[0] ?? '';
    expect((await fetch(link)).status).toBe(200);
  });

  it('handles pictures once npm has installed it, outside the repository', DEEP, async () => {
    const prefix = join(folder, 'prefix');
    const tarball = await packCli(join(folder, 'installed'));
    const env = { HOME: join(folder, 'home'), PATH: process.env.PATH ?? '' };
    // The cache of the user, where sharp usually is already.
    const own = { ...process.env, npm_config_update_notifier: 'false' };
    const words = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball];
    const installed = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', env: own });
    expect(installed.status, installed.stderr).toBe(0);
    const project = join(folder, 'project');
    const state = join(folder, 'installed-desktop');
    await Promise.all([project, state].map((made) => mkdir(made, { recursive: true, mode: 0o700 })));
    const sent: { pictures?: { data: string }[] }[] = [];
    const mcp = await serveMcp(
      ({ message }) => {
        sent.push(message.params.arguments as { pictures: { data: string }[] });
        return text('Pinned.');
      },
      { tools: [{ name: 'pin_pictures' }] },
    );
    const app = await pinboardAt(mcp.url);
    await writeFile(
      join(state, 'settings.json'),
      JSON.stringify({
        version: 1,
        projects: [{ id: 'project-1', name: 'Project', folder: project }],
        ...{ allowedFolders: [], developerFolders: [app], appValues: {} },
      }),
    );
    await writeFile(join(project, 'board.png'), png(400, 200));
    const client = new Client({ name: 'an-agent', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { approve: true },
    }));
    const args = ['gateway', '--folder', state, '--local-apps'];
    const command = join(prefix, 'bin', 'svc');
    await client.connect(new StdioClientTransport({ command, args, env, cwd: project, stderr: 'pipe' }));
    onTestFinished(() => client.close());
    const { content, isError } = await client.callTool({
      name: 'media__resize',
      arguments: { file: join(project, 'board.png'), width: 100 },
    });
    expect(isError, JSON.stringify(content)).toBeFalsy();
    expect(content).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'image' })]));
    await writeFile(join(project, 'wide.png'), png(4_000, 3_000));
    const pinned = await client.callTool({
      name: 'com_example_pinboard__pin_pictures',
      arguments: { pictures: [join(project, 'wide.png')] },
    });
    expect(pinned.isError, JSON.stringify(pinned.content)).toBeFalsy();
    // PNG section 11.2.2: the width is in the first chunk.
    const [picture] = sent[0]?.pictures ?? [];
    expect(Buffer.from(picture?.data ?? '', 'base64').readUInt32BE(16)).toBe(1_600);
  });
});
