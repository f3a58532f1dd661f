import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { DEEP } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import type { ActivityEntry } from '../apps/desktop/src/wire/views.ts';
import { acceptNext, startDesktop } from '../apps/desktop/test/support/desktop-process.ts';
import { tempFolder } from '../apps/desktop/test/support/temp-folder.ts';
import { type Choose, itAtSteps } from '../packages/runtime/test/support/at-steps.ts';
import { APP, startServers, startStore } from './support/notes-app.ts';
import { browserOn } from './support/persons-browser.ts';
import { startAgent } from './support/stdio-agent.ts';

type Desktop = Awaited<ReturnType<typeof startDesktop>>;

const PROGRAM = path.join(import.meta.dirname, 'support/killed-desktop.ts');

const entriesOf = async ({ page }: Desktop) => (await page.call('activity.list', {})).body.entries;

/** What the log says of one kind, newest first. */
const outcomesOf = async (desktop: Desktop, kind: ActivityEntry['kind']) =>
  (await entriesOf(desktop)).filter((entry) => entry.kind === kind).map(({ outcome }) => outcome);

async function versionOf({ page }: Desktop): Promise<string | null> {
  const app = (await page.call('apps.list', { project: 'default' })).body.apps.find(
    ({ appId }) => appId === APP,
  );
  return app?.version ?? null;
}

async function install({ page }: Desktop, version: string): Promise<void> {
  const { sheetId, sheet } = (await page.call('store.prepare', { appId: APP, version })).body;
  const answer = { accepted: true, binding: sheet.binding } as const;
  expect((await page.call('store.install', { sheetId, answer })).status).toBe(200);
}

/** A store with two versions of the app, its servers, and desktops in processes of their own. */
async function world() {
  const [store, servers] = await Promise.all([startStore(), startServers()]);
  for (const version of ['1.0.0', '2.0.0']) await store.publish({ version });
  const browse = browserOn(servers.connecting);

  async function start(folder: string, killAt = 0): Promise<Desktop> {
    const { port, ca } = servers.connecting;
    const given = JSON.stringify({ folder, store: store.url, port, ca, killAt });
    return startDesktop([PROGRAM, given]);
  }
  async function quit({ child }: Desktop): Promise<void> {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  /** A folder with the first version of the app. */
  async function prepared(): Promise<string> {
    const folder = await tempFolder();
    const desktop = await start(folder);
    await install(desktop, '1.0.0');
    await quit(desktop);
    return folder;
  }
  /** Runs work in a copy of a folder, and kills it at a step. @returns the folder, and the steps; null when it was killed */
  async function killed(from: string, work: (desktop: Desktop) => Promise<unknown>, killAt: number) {
    const folder = await tempFolder();
    await cp(from, folder, { recursive: true, filter: (name) => !name.endsWith('.sock') });
    const desktop = await start(folder, killAt);
    desktop.child.stdin.write('begin\n');
    await desktop.line('Steps');
    const exited = once(desktop.child, 'exit').then(() => null);
    const done = work(desktop).then(async () => {
      desktop.child.stdin.write('end\n');
      return Number(await desktop.line('Steps taken'));
    });
    const steps = await Promise.race([exited, done.catch(() => exited)]);
    await quit(desktop);
    return { folder, steps };
  }
  /** Connects the account of the app. */
  async function connect(desktop: Desktop): Promise<void> {
    const heard = await desktop.page.listen();
    const connecting = desktop.page.call('accounts.connect', { appId: APP, accountId: 'notes' });
    connecting.catch(() => undefined);
    await acceptNext(desktop, heard, 'connect');
    await browse(await desktop.line('Browser'));
    expect((await connecting).status).toBe(200);
  }
  return { start, quit, prepared, killed, connect, browse, servers };
}

type World = Awaited<ReturnType<typeof world>>;

/** Kills work at each chosen step, and checks what the next process finds. */
async function atSteps(
  { start, quit, killed }: World,
  { from, work, choose }: { from: string; work: (desktop: Desktop) => Promise<unknown>; choose: Choose },
  check: (desktop: Desktop) => Promise<void>,
): Promise<void> {
  const whole = await killed(from, work, 0);
  expect(whole.steps).toBeGreaterThan(4);
  for (const at of choose(whole.steps ?? 0)) {
    const { folder } = await killed(from, work, at);
    const next = await start(folder);
    const entries = await entriesOf(next);
    for (const { outcome } of entries) expect([at, outcome]).not.toEqual([at, 'under-way']);
    const said = entries.map(({ kind, outcome }) => `${kind} ${outcome}`).join(', ');
    process.stdout.write(`killed at step ${at}: ${said || 'no entry'}\n`);
    await check(next);
    await quit(next);
  }
}

/** What the installations of the log may be: what it calls installed is there. */
async function expectTrue(next: Desktop, versions: readonly (string | null)[]): Promise<void> {
  const version = await versionOf(next);
  expect(versions).toContain(version);
  const [entry, ...older] = (await entriesOf(next)).filter(({ kind }) => kind === 'install');
  if (entry?.outcome === 'installed') expect(version).toBe(entry.name);
  for (const { outcome } of [entry, ...older].flatMap((one) => one ?? []))
    expect(['installed', 'interrupted']).toContain(outcome);
}

/** The callers of a tool that never answers, and how each is named in the log. */
const CALLERS = {
  'a page': {
    asker: 'desktop',
    call: async ({ page }: Desktop) =>
      page.call('tools.call', {
        appId: APP,
        project: 'default',
        callId: 'call-1',
        tool: 'wait',
        arguments: {},
        files: {},
      }),
  },
  'an agent': {
    asker: 'codex-mcp-client',
    call: async (_: Desktop, folder: string) => {
      const agent = await startAgent(folder, 'My project');
      return agent.callTool({ name: 'com_example_notes__wait', arguments: {} });
    },
  },
} as const;

describe('a desktop that is killed', () => {
  itAtSteps(
    'while it installs: the app is there whole or not at all, and can be installed again',
    async (choose) => {
      const stores = await world();
      const work = (desktop: Desktop) => install(desktop, '1.0.0');
      await atSteps(stores, { from: await tempFolder(), work, choose }, async (next) => {
        await expectTrue(next, [null, '1.0.0']);
        await install(next, '1.0.0');
        expect(await versionOf(next)).toBe('1.0.0');
        expect((await outcomesOf(next, 'install'))[0]).toBe('installed');
      });
    },
    DEEP,
  );

  itAtSteps(
    'while it updates: the app is there in one of the two versions, and can be updated again',
    async (choose) => {
      const stores = await world();
      const work = (desktop: Desktop) => install(desktop, '2.0.0');
      await atSteps(stores, { from: await stores.prepared(), work, choose }, async (next) => {
        await expectTrue(next, ['1.0.0', '2.0.0']);
        if ((await versionOf(next)) === '1.0.0') await install(next, '2.0.0');
        expect(await versionOf(next)).toBe('2.0.0');
        await expectTrue(next, ['2.0.0']);
      });
    },
    DEEP,
  );

  itAtSteps(
    'while it signs in: the account is connected or not, as the log says, and can be connected',
    async (choose) => {
      const stores = await world();
      await atSteps(stores, { from: await stores.prepared(), work: stores.connect, choose }, async (next) => {
        const connected = async () =>
          (await next.page.call('accounts.list', { appId: APP })).body.accounts[0]?.connected;
        const said = await outcomesOf(next, 'account');
        expect(said.every((one) => one === 'connected' || one === 'interrupted')).toBe(true);
        if (said.includes('connected')) expect(await connected()).toBe(true);
        if (!(await connected())) await stores.connect(next);
        expect(await connected()).toBe(true);
      });
    },
    DEEP,
  );

  it.each(Object.entries(CALLERS))(
    'while it works for %s: the call is interrupted',
    DEEP,
    async (_, { asker, call }) => {
      const { start, quit, prepared, connect, servers } = await world();
      const folder = await prepared();
      const first = await start(folder);
      await connect(first);
      call(first, folder).catch(() => undefined);
      await eventually(() => expect(servers.waiting).toHaveLength(1));
      const called = { kind: 'tool', name: 'wait', asker };
      expect((await entriesOf(first))[0]).toMatchObject({ ...called, outcome: 'under-way' });
      await quit(first);
      const next = await start(folder);
      expect((await entriesOf(next))[0]).toMatchObject({ ...called, outcome: 'interrupted' });
    },
  );
});
