import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { serveSites } from '../support/internet.ts';
import { relayServer } from '../support/relay-server.ts';
import { openClient } from '../support/runtime-world.ts';
import { wildMcp, wildOAuth } from '../support/wild-servers.ts';
import { vaultOf } from '../support/wild-world.ts';

/** Another process of the client. It is killed at the step that it is told: at each file that it puts in place, and each commit. */
const PROGRAM = `
  import fs from 'node:fs/promises';
  import { randomBytes } from 'node:crypto';
  import { syncBuiltinESMExports } from 'node:module';
  import { DatabaseSync } from 'node:sqlite';
  import { setTimeout as wait } from 'node:timers/promises';
  const { folder, store, port, ca, appId, work, killAt, source } = JSON.parse(process.argv[1]);
  let step = 0, counting = false;
  const tick = () => {
    if (counting && ++step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  for (const name of ['rename', 'link', 'rm', 'mkdir']) {
    const own = fs[name];
    fs[name] = async (...args) => {
      tick();
      const result = await own.apply(fs, args);
      tick();
      return result;
    };
  }
  const exec = DatabaseSync.prototype.exec;
  DatabaseSync.prototype.exec = function (sql) {
    if (/^commit/.test(sql)) tick();
    const result = exec.call(this, sql);
    if (/^commit/.test(sql)) tick();
    return result;
  };
  syncBuiltinESMExports();
  const { openRuntime } = await import(source);
  const sleep = (ms, signal) => wait(ms === 1000 ? 5 : ms, undefined, signal && { signal });
  const runtime = await openRuntime({
    folder, store, fetchStore: fetch, ambient: { now: Date.now, randomBytes, sleep },
    client: { platform: 'linux', arch: 'x64', builtInApps: [], name: 'Another', version: '1', origin: 'http://127.0.0.1:1' },
    keys: [{ kind: 'key-file', file: folder + '/key' }], identity: { name: 'Another' },
    ask: async () => ({ accepted: false }), openBrowser: async () => {}, onFault: () => {},
    connecting: { lookUp: async () => [{ address: '127.0.0.1', family: 4 }], isPublic: () => true, port, ca },
  });
  counting = true;
  process.stdout.write('begun\\n');
  if (work === 'refresh') await runtime.call(appId, { tool: 'say', arguments: {}, project: 'p', chat: 'c' }).catch(() => {});
  else await runtime.remove(appId);
  counting = false;
  await runtime.close();
  process.stdout.write('steps ' + step + '\\n');
`;

const SOURCE = new URL('../../src/open-runtime.ts', import.meta.url).href;

/** A client with a connected connector, and what runs another process in its folder. */
async function connected() {
  const [site, relay] = await Promise.all([
    serveSites(['mcp.example.com', 'login.example.com']),
    relayServer(),
  ]);
  const oauth = await wildOAuth(site.at('login.example.com'));
  const mcp = await wildMcp(oauth, { stream: true, sessions: true }, site.at('mcp.example.com'));
  const client = await openClient({ store: relay.url, connecting: site.connecting });
  const { runtime, folder } = client;
  const { appId } = await runtime.addConnector(mcp.url);
  const call = () => runtime.call(appId, { tool: 'say', arguments: {}, project: 'p', chat: 'c' });
  await call();

  /** @returns the steps it took; null when it was killed */
  async function another(
    work: 'refresh' | 'remove',
    killAt: number | 'asked' | 'done',
  ): Promise<number | null> {
    const input = JSON.stringify({
      ...{ folder, store: relay.url, port: site.port, ca: site.ca, appId, work, source: SOURCE },
      killAt: typeof killAt === 'number' ? killAt : 0,
    });
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, input], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    if (typeof killAt !== 'number') {
      oauth.state.gate = async (place, phase) => {
        const isMeant = place === (work === 'refresh' ? '/token' : '/revoke') && phase === killAt;
        if (!isMeant || !child.kill('SIGKILL')) return;
        await exited;
      };
    }
    const said = await text(child.stdout);
    await exited;
    oauth.state.gate = async () => {};
    const steps = /^steps (\d+)$/m.exec(said)?.[1];
    return steps === undefined ? null : Number(steps);
  }

  const { entries } = vaultOf(folder);
  const left = async () => {
    const kinds = ['account', 'server', 'client', 'revocation'] as const;
    return (await Promise.all(kinds.map(entries))).flat().map(([[kind]]) => kind);
  };
  return { ...client, site, oauth, mcp, appId, call, another, left };
}

describe('a process that is killed', () => {
  it('at any step of a refresh leaves an account that works, or one that another process has connected again', async () => {
    const { oauth, another, call, runtime, appId, left } = await connected();
    oauth.access.clear();
    const steps = await another('refresh', Number.POSITIVE_INFINITY);
    expect(steps).toBeGreaterThan(2);
    const points = [...Array.from({ length: steps ?? 0 }, (_, at) => at + 1), 'asked', 'done'] as const;
    for (const at of points) {
      oauth.access.clear();
      expect(await another('refresh', at)).toBeNull();
      // The process that was there all the time goes on, with a Connect card at the worst.
      expect(await call()).toMatchObject({ parts: [{ text: 'did say' }] });
      const app = runtime.library.get(appId);
      expect(app && (await runtime.accounts.list(app))).toMatchObject([{ connected: true }]);
      expect((await left()).sort()).toEqual(['account', 'client', 'server']);
    }
  }, 600_000);

  it('at any step of a removal leaves no token: it is revoked, and the vault is as bare as a new one', async () => {
    const { oauth, another, call, runtime, appId, mcp, left, folder } = await connected();
    const steps = await another('remove', Number.POSITIVE_INFINITY);
    expect(steps).toBeGreaterThan(4);
    const bare = (await stat(path.join(folder, 'vault'))).size;
    const points = [...Array.from({ length: steps ?? 0 }, (_, at) => at + 1), 'asked', 'done'] as const;
    for (const at of points) {
      expect(await left()).toEqual([]);
      await runtime.addConnector(mcp.url);
      await call();
      expect(oauth.refresh.size).toBe(1);
      await another('remove', at);
      if (runtime.library.get(appId)) await runtime.remove(appId);
      await runtime.accounts.settle();
      expect([at, await left()]).toEqual([at, []]);
      expect(oauth.refresh.size).toBe(0);
      expect((await stat(path.join(folder, 'vault'))).size).toBe(bare);
    }
  }, 600_000);
});
