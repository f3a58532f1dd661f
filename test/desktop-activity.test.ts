import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { openWorld } from './support/gateway-world.ts';
import { startAgent } from './support/stdio-agent.ts';

const APP = 'com.example.notes';
const ADD = 'com_example_notes__add_note';

/** The raw contents of the activity files. */
async function recordIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('calls.'));
  const all = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')));
  return all.join('\n');
}

const pageOf = ({ opened }: Pick<Awaited<ReturnType<typeof openWorld>>, 'opened'>) =>
  openPage({ opened, port: Number(new URL(opened.desktop.origin).port) });

it('records the calls of an agent through its own gateway, without their contents', async () => {
  const world = await openWorld({
    play: () => text('The answer names hunter2 and the diary too.'),
    server: { tools: [{ name: 'add_note' }] },
  });
  const agent = await startAgent(world.own, 'First');
  const args = {
    password: 'hunter2',
    note: 'my diary',
    key: 'sk-0123456789abcdef0123',
    deep: [{ pin: 'pin of 4711' }],
  };
  await agent.callTool({ name: ADD, arguments: args });
  await agent.close();

  const page = await pageOf(world);
  const { entries } = (await page.call('activity.list', {})).body;
  expect(entries).toMatchObject([
    { appId: APP, kind: 'tool', name: 'add_note', asker: 'codex-mcp-client', outcome: 'answered' },
  ]);
  // Secrets, and values that look like secrets, are masked.
  expect(entries[0]?.detail).toContain('my diary');
  for (const secret of ['sk-0123456789abcdef0123', '"hunter2"'])
    expect(entries[0]?.detail).not.toContain(secret);
  const kept = await recordIn(world.own);
  expect(kept).toContain('add_note');
  for (const secret of ['hunter2', 'diary', 'sk-0123', 'pin of 4711', 'password', 'The answer'])
    expect([secret, kept.includes(secret)]).toEqual([secret, false]);

  await world.opened.close();
  const again = await openTestDesktop({
    folder: world.own,
    keys: [{ kind: 'key-file', file: path.join(world.own, 'key') }],
  });
  const later = await openPage(again);
  expect((await later.call('activity.list', {})).body.entries).toEqual([{ ...entries[0], detail: '' }]);

  // Removing the app deletes its activity.
  expect((await later.call('apps.remove', { appId: APP })).status).toBe(200);
  expect((await later.call('activity.list', {})).body).toEqual({
    ...{ entries: [], more: false, apps: [], outcomes: [], askers: [] },
  });
  expect(await recordIn(world.own)).not.toContain('add_note');
});

it('can be cleared only by the page, not by an agent or another site', DEEP, async () => {
  const world = await openWorld({ play: () => text('Done.'), server: { tools: [{ name: 'add_note' }] } });
  const agent = await startAgent(world.own, 'First');
  await agent.callTool({ name: ADD, arguments: {} });
  const page = await pageOf(world);
  const send = (headers: Record<string, string>) =>
    fetch(`${world.origin.replace('localhost', '127.0.0.1')}/api/activity.clear`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  const bearer = { authorization: `Bearer ${page.bearer}` };
  expect((await send({})).status).toBe(401);
  expect((await send({ authorization: `Bearer ${world.agent.bearer}` })).status).toBe(401);
  expect((await send({ ...bearer, origin: 'https://evil.example' })).status).toBe(403);
  expect(await agent.callTool({ name: 'activity.clear', arguments: {} })).toMatchObject({ isError: true });
  expect((await page.call('activity.list', {})).body.entries).toHaveLength(1);
  const wrong = page.call as (name: string, input: unknown) => Promise<{ status: number }>;
  for (const input of [{ appId: 'a b' }, { before: 1 }, { appId: null }])
    expect(await wrong('activity.clear', input)).toMatchObject({ status: 400 });
  expect((await page.call('activity.clear', { appId: 'com.example.other' })).status).toBe(200);
  expect((await page.call('activity.list', {})).body.entries).toHaveLength(1);
  expect((await page.call('activity.clear', {})).status).toBe(200);
  expect((await page.call('activity.list', {})).body.entries).toEqual([]);
});
