import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { hasProgram, hasS3Server } from '@svc/testkit';
import { expect, onTestFinished } from 'vitest';
import { ROOT } from '../../../tools/release/targets.ts';
import { cloneHere } from '../clone.ts';
import { createAuthority } from './authority.ts';
import type { ProxyName } from './machine.ts';

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
export const PROXIES: readonly ProxyName[] = ['nginx', 'caddy', 'haproxy'];

const hasProxy = (name: ProxyName): boolean =>
  spawnSync(name, [name === 'caddy' ? 'version' : '-v']).status === 0;

const isHere =
  process.getuid?.() === 0 && PROGRAMS.every(hasProgram) && hasProxy('nginx') && hasS3Server() && isAllowed();

/** Whether this machine has all that the walk needs. */
export const mayWalk = (proxy: ProxyName): boolean => isHere && hasProxy(proxy);

/** Installs the store by step 1 of docs/operating.md, in a clone. @returns the folder of its program, and the commands */
async function installStore(folder: string) {
  const page = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
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

/** Sets a company up behind a proxy, with no network but its own, and walks from nothing to the end of an access. */
export async function walkBehind(proxy: ProxyName): Promise<void> {
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
    'npm install --global ./svc-store-*.tgz',
  ]);
  const program = join(import.meta.dirname, 'walk.ts');
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
