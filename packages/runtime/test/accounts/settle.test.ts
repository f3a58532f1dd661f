import { stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { itAtSteps } from '../support/at-steps.ts';
import { serveSites } from '../support/internet.ts';
import { startKilledClient } from '../support/killed-client.ts';
import { relayServer } from '../support/relay-server.ts';
import { openClient } from '../support/runtime-world.ts';
import { wildMcp, wildOAuth } from '../support/wild-servers.ts';
import { vaultOf } from '../support/wild-world.ts';

/** A client with a connected connector; `another` runs a second process in its folder. */
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
    const at = typeof killAt === 'number' ? killAt : 0;
    const child = startKilledClient({ folder, store: relay.url, site, appId, work, killAt: at });
    if (typeof killAt !== 'number') {
      oauth.state.gate = async (place, phase) => {
        const isMeant = place === (work === 'refresh' ? '/token' : '/revoke') && phase === killAt;
        if (!isMeant || !child.kill()) return;
        await child.exited;
      };
    }
    const steps = await child.ended();
    oauth.state.gate = async () => {};
    return steps;
  }

  const { entries } = vaultOf(folder);
  const left = async () => {
    const kinds = ['account', 'server', 'client', 'revocation'] as const;
    return (await Promise.all(kinds.map(entries))).flat().map(([[kind]]) => kind);
  };
  return { ...client, site, oauth, mcp, appId, call, another, left };
}

describe('a process that is killed', () => {
  itAtSteps(
    'during a refresh leaves an account that works, or that another process can connect again',
    async (choose) => {
      const { oauth, another, call, runtime, appId, left } = await connected();
      oauth.access.clear();
      const steps = await another('refresh', Number.POSITIVE_INFINITY);
      expect(steps).toBeGreaterThan(2);
      let killed = 0;
      const points = choose(steps ?? 0, ['asked', 'done']);
      for (const at of points) {
        oauth.access.clear();
        // The number of steps depends on what the previous process left behind.
        if ((await another('refresh', at)) === null) killed += 1;
        // The process that was not killed continues, at worst with a Connect card.
        expect(await call()).toMatchObject({ parts: [{ text: 'did say' }] });
        const app = runtime.library.get(appId);
        expect(app && (await runtime.accounts.list(app))).toMatchObject([{ connected: true }]);
        expect((await left()).sort()).toEqual(['account', 'client', 'server']);
      }
      expect(killed).toBeGreaterThan(points.length / 2);
    },
  );

  itAtSteps(
    'during a removal leaves no token: it is revoked, and the vault is as small as without an account',
    async (choose) => {
      const { oauth, another, call, runtime, appId, mcp, left, folder } = await connected();
      const steps = await another('remove', Number.POSITIVE_INFINITY);
      expect(steps).toBeGreaterThan(4);
      const bare = (await stat(path.join(folder, 'vault'))).size;
      const points = choose(steps ?? 0, ['asked', 'done']);
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
    },
  );
});
