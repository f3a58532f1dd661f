import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP, hasProgram, hasS3Server, needs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../tools/release/targets.ts';
import { cloneHere } from './support/clone.ts';
import { createAuthority } from './support/company/authority.ts';
import type { ProxyName } from './support/company/machine.ts';

/** Namespaces in which the program sees no network but its own, no mounts but its own, and all of its processes end with it. */
const NAMESPACES = [
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  '--propagation',
  'private',
];

const isAllowed = (): boolean =>
  spawnSync('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

const PROGRAMS = ['openssl', 'npm', 'git'];

/** Those of the samples in `deploy/` that Debian has. */
const PROXIES: readonly ProxyName[] = ['nginx', 'caddy', 'haproxy'];

const hasProxy = (name: ProxyName): boolean =>
  spawnSync(name, [name === 'caddy' ? 'version' : '-v']).status === 0;

const isHere =
  process.getuid?.() === 0 && PROGRAMS.every(hasProgram) && hasProxy('nginx') && hasS3Server() && isAllowed();

/** Installs the store by step 1 of docs/production.md, in a clone. @returns the folder of its program, and the commands */
async function installStore(folder: string) {
  const page = readFileSync(join(ROOT, 'docs/production.md'), 'utf8');
  const commands = Array.from(page.matchAll(/`(npm [^`]+)`/g), ([, command = '']) => command);
  const clone = await cloneHere();
  const prefix = join(folder, 'npm-store');
  const env = { ...process.env, npm_config_prefix: prefix, npm_config_fetch_retries: '0' };
  // The packages of the clone are links to those of this one.
  for (const command of commands)
    execFileSync('sh', ['-c', command.replace('npm ci && ', '')], { cwd: clone, env, stdio: 'pipe' });
  return { bin: join(prefix, 'bin'), commands };
}

type Step = { step: string; seconds: number; [result: string]: unknown };

describe.each(PROXIES)('behind %s, a company', (proxy) => {
  const NEEDS = needs(
    isHere && hasProxy(proxy),
    `needs root, network namespaces, nginx, openssl, Ceph and ${proxy}`,
  );
  it(
    'goes from nothing to a tool call on an internal app, and to the end of an access',
    { ...DEEP, ...NEEDS },
    () => walk(proxy),
  );
});

async function walk(proxy: ProxyName): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-company-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [work, authority] = [join(folder, 'work'), join(folder, 'authority')];
  for (const made of [work, authority]) await mkdir(made);
  // PostgreSQL runs as another user, and reads its certificate there.
  for (const entered of [folder, work]) await chmod(entered, 0o711);
  const ca = createAuthority(authority);
  const { bin, commands } = await installStore(folder);
  expect(commands).toEqual([
    'npm ci && npm run build && npm pack ./apps/store/dist',
    'npm install --global ./svc-store-0.1.0.tgz',
  ]);
  const program = join(import.meta.dirname, 'support/company/walk.ts');
  const words = [...NAMESPACES, process.execPath, program, work, authority, proxy, bin];
  const child = spawn('unshare', words, {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await ended, err).toEqual([0, null]);
  const steps = out
    .split('\n')
    .flatMap((line): Step[] => (line.startsWith('{"step"') ? [JSON.parse(line)] : []));
  const { audit, ...results } = Object.assign({}, ...steps) as Record<string, unknown>;
  expect(results).toMatchObject({
    internet: 'ENETUNREACH',
    refused: [1, true],
    commands: ['config check', 'prepare', 'mail-test you@example.com'],
    mails: ['Test mail of apps.example.com'],
    role: 'administrator',
    inside: [['mcp.corp.example'], ['mcp.corp.example']],
    answer: { content: [{ type: 'text', text: 'Cem sits at desk 12.' }] },
    back: ['/apps/oauth/callback', 200],
    booking: { content: [{ type: 'text', text: 'ben sits next to Cem.' }] },
    keys: 2,
    before: [200, 200, 200, 200, 200, 200, 200, 200],
    removed: 200,
    again: 403,
    wasSignedIn: true,
    exit: 0,
  });
  expect(results.noAccess).toBeLessThan(10);
  expect(results.noSession).toBeLessThan(10);
  expect(audit).toMatchObject({
    actor: 'scim:acme',
    detail: { suspended: true, role: 'person', sessionsEnded: 1, tokensRevoked: 1 },
  });
  const { one, two } = results.cost as Record<'one' | 'two', Record<string, number>>;
  // A second process costs a request nothing: as many more processes answer as the machines have processors for.
  expect(Number(two.store) + Number(two.database)).toBeLessThan(
    2 * (Number(one.store) + Number(one.database)),
  );
  process.stdout.write(
    `${proxy}: ${JSON.stringify(results.cost)}\n${steps.map(({ step, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${step}`).join('\n')}\n`,
  );
}

const UNIT = join(ROOT, 'deploy/svc-store.service');

/** What systemd says of a unit with another text; empty where it understands every line. */
async function verified(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const unit = join(folder, 'svc-store.service');
  await writeFile(unit, text);
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  return stdout + stderr;
}

it(
  'the unit of the docs is one that systemd understands, also with the lines for a sign-in file',
  needs(hasProgram('systemd-analyze'), 'needs systemd-analyze'),
  async () => {
    const unit = readFileSync(UNIT, 'utf8');
    expect(await verified(unit)).toBe('');
    expect(await verified(unit.replace(/^#(?=\w+=.*sign-in)/gm, ''))).toBe('');
    expect(await verified(unit.replace('StateDirectory=', 'StateFolder='))).toContain('StateFolder');
  },
);
