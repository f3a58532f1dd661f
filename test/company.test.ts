import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP, hasProgram, hasS3Server, needs } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createAuthority } from './support/company/authority.ts';

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

const PROGRAMS = ['openssl', 'npm'];

const isHere =
  process.getuid?.() === 0 &&
  PROGRAMS.every(hasProgram) &&
  spawnSync('nginx', ['-v']).status === 0 &&
  hasS3Server() &&
  isAllowed();

const NEEDS = needs(isHere, 'needs root, network namespaces, nginx, openssl and Ceph');

type Step = { step: string; seconds: number; [result: string]: unknown };

it('a company goes from nothing to a tool call on an internal app, and to the end of an access', {
  ...DEEP,
  ...NEEDS,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-company-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [work, authority] = [join(folder, 'work'), join(folder, 'authority')];
  for (const made of [work, authority]) await mkdir(made);
  // PostgreSQL runs as another user, and reads its certificate there.
  for (const entered of [folder, work]) await chmod(entered, 0o711);
  const ca = createAuthority(authority);
  const walk = join(import.meta.dirname, 'support/company/walk.ts');
  const child = spawn('unshare', [...NAMESPACES, process.execPath, walk, work, authority], {
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
    inside: ['mcp.corp.example'],
    answer: { content: [{ type: 'text', text: 'Cem sits at desk 12.' }] },
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
  process.stdout.write(
    `${steps.map(({ step, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${step}`).join('\n')}\n`,
  );
});
