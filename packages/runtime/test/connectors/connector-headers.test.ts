import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainHeaders } from '../../src/connectors/connector-headers.ts';
import { json, serveMcp, text } from '../support/mcp-server.ts';
import { openClient } from '../support/runtime-world.ts';

const VALUE = 'k-9f8E7d6C5b4A3210';

/** A server of this machine that answers only requests with one of these values, and returns the value in its results. */
async function keyed(...values: string[]) {
  const mcp = await serveMcp(({ request }) => text(`You sent ${request.headers['x-api-key']}.`), {
    tools: [{ name: 'search' }],
    before({ request, response }) {
      if (values.includes(String(request.headers['x-api-key']))) return false;
      json(response, { error: 'no key' }, 403);
      return true;
    },
  });
  const { runtime, folder } = await openClient({ localConnectors: true });
  const add = (value: string) =>
    runtime.addLocalConnector({ url: mcp.url, headers: { 'X-Api-Key': ` ${value} ` } });
  const call = (appId: string) =>
    runtime.call(appId, { tool: 'search', arguments: {}, project: 'p', chat: 'c' });
  const isStored = async (value: string) => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    );
    const read = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))));
    return read.some((bytes) => bytes.includes(value));
  };
  return { mcp, runtime, add, call, isStored };
}

describe('a connector with a header', () => {
  it('sends it with each request, and shows its value nowhere', async () => {
    const { mcp, runtime, add, call, isStored } = await keyed(VALUE);
    const { appId, source } = await add(VALUE);
    expect(source).toMatchObject({ headers: ['x-api-key'] });
    expect(await call(appId)).toMatchObject({ parts: [{ text: expect.not.stringContaining(VALUE) }] });
    expect(mcp.asked.every(({ request }) => request.headers['x-api-key'] === VALUE)).toBe(true);
    expect(JSON.stringify(runtime.library.list())).not.toContain(VALUE);
    expect(await isStored(VALUE)).toBe(false);
  });

  it('uses a new value at once, and none after it was removed', async () => {
    const { runtime, add, call, mcp } = await keyed(VALUE, 'the-next-value');
    const { appId } = await add(VALUE);
    await call(appId);
    expect(await add('the-next-value')).toMatchObject({ appId });
    await call(appId);
    // No tool is called when it is added.
    expect(mcp.headersOf('tools/call').map((headers) => headers['x-api-key'])).toEqual([
      VALUE,
      'the-next-value',
    ]);
    await runtime.remove(appId);
    await expect(runtime.addLocalConnector({ url: mcp.url })).rejects.toMatchObject({
      message: expect.stringContaining('(403)'),
    });
    expect(runtime.library.list()).toEqual([]);
  });

  it('is not added with a value that its server refuses, which the message does not repeat', async () => {
    const { add, runtime } = await keyed('another');
    await expect(add(VALUE)).rejects.toMatchObject({
      code: 'server-failed',
      message: expect.stringMatching(/refuses the header \(x-api-key\)/),
    });
    await expect(add(VALUE)).rejects.toMatchObject({ message: expect.not.stringContaining(VALUE) });
    expect(runtime.library.list()).toEqual([]);
  });
});

describe('a header', () => {
  it.each([
    ['Host', 'a'],
    ['Mcp-Session-Id', 'a'],
    ['Transfer-Encoding', 'chunked'],
    ['X-Svc-Project', 'p'],
    ['a b', 'a'],
    ['', 'a'],
    ['x-key', ''],
    ['x-key', `${VALUE}\r\nHost: other`],
    ['x-key', 'é'],
    ['x-key', 'x'.repeat(9_000)],
  ])('is refused: %s', (name, value) => {
    expect(() => plainHeaders({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'invalid-arguments', message: expect.not.stringContaining(VALUE) }),
    );
  });

  it('is not sent unencrypted over the local network', async () => {
    const { runtime, cards } = await openClient({
      localConnectors: true,
      connecting: { lookUp: async () => [{ address: '192.168.1.5', family: 4 }] },
    });
    const request = { url: 'http://nas.local:3000/mcp', headers: { 'x-api-key': VALUE } };
    await expect(runtime.addLocalConnector(request)).rejects.toMatchObject({ code: 'address-refused' });
    expect(cards).toEqual([]);
  });
});
