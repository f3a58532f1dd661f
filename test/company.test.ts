import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP, hasProgram, hasS3Server, needs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openIdProvider } from '../apps/store/test/support/open-id.ts';
import { beginAt, openStoreAt } from '../apps/store/test/support/store-with-providers.ts';
import { bodyOf } from '../apps/store/test/support/test-store.ts';
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
    'npm install --global ./svc-store-*.tgz',
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

const MINUTE_MS = 60_000;

/** What only members may read. */
const PATH = '/api/apps/catalog';

/** A store for members with the defaults, and a member with all that groups give: a session, a role, a publisher and tokens. */
async function openCompany() {
  const accounts = {
    anna: {
      name: 'Anna',
      email: 'anna@acme.example',
      email_verified: true,
      groups: ['staff', 'team', 'mods'],
    },
  };
  const provider = await openIdProvider('acme', accounts);
  const groups = {
    allowed: ['staff'],
    roles: { mods: 'moderator' },
    publishers: { team: { slug: 'team', role: 'owner' } },
  };
  const store = await openStoreAt({ SVC_READ: 'members' }, { ...provider.settings, groups });
  await store.admin('POST', '/api/admin/publishers', { slug: 'team', name: 'Team' });
  const { browser, location } = await beginAt(store, 'acme');
  await browser.open(await provider.visit(location, 'anna'));
  const { id } = await bodyOf(browser.open('/api/people/me'));
  const make = async (json: object): Promise<string> =>
    (await bodyOf(browser.script('POST', '/api/people/me/tokens', { scopes: ['read'], ...json }))).token;
  const tokens = [await make({ name: 'desktop' }), await make({ name: 'CI of the team', publisher: 'team' })];
  const reads = (token?: string) =>
    token === undefined ? browser.send('GET', PATH) : store.call('GET', PATH, { token });
  const works = async () => ({
    session: (await reads()).status === 200,
    desktop: (await reads(tokens[0])).status === 200,
    'token for the team': (await reads(tokens[1])).status === 200,
    role: (await store.stores.people.find(id))?.role === 'moderator',
    publisher: (await store.stores.people.membershipsOf(id)).has('team'),
  });
  return { store, accounts, works };
}

it('a user who left the groups of a provider without SCIM can do nothing 34 minutes later', async () => {
  const { store, accounts, works } = await openCompany();
  expect(Object.values(await works())).toEqual([true, true, true, true, true]);
  accounts.anna.groups = [];
  const lasted: Record<string, number> = {};
  for (let minute = 1; minute <= 34; minute += 1) {
    store.advance(MINUTE_MS);
    await store.checkDueUsers();
    for (const [what, still] of Object.entries(await works())) if (still) lasted[what] = minute;
  }
  expect(Object.values(await works())).toEqual([false, false, false, false, false]);
  // What ends, ends at one time: nothing works on for longer than the rest.
  expect(new Set(Object.values(lasted)).size).toBe(1);
  process.stdout.write(
    `A leaver without SCIM: ${JSON.stringify(lasted)} minutes after the group was removed\n`,
  );
});
