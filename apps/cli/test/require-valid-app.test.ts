import { describe, expect, it } from 'vitest';
import { checkBundle } from '../src/check-app.ts';
import { checkForStore } from '../src/require-valid-app.ts';
import type { StoreClient } from '../src/store-client.ts';
import { appBundle } from './support/app-folder.ts';

const LOCAL = 'http://localhost:3000/mcp';

/** The issues of an app, and the number of requests to its store. */
async function checkAt(mcpUrl: string, says: boolean | 'nothing', baseUrl = 'http://localhost:8787') {
  let asked = 0;
  const facts = async () => {
    asked += 1;
    if (says === 'nothing') throw new Error('There is no such place.');
    return { localApps: says };
  };
  const bytes = appBundle({ manifest: { remote: { mcpUrl, domains: [] } } });
  const { checked } = await checkForStore({ baseUrl, call: facts as StoreClient['call'] }, (localhost) =>
    checkBundle(bytes, { mode: 'store', localhost }),
  );
  return [checked.issues.map(({ code, level }) => `${code} ${level}`), asked];
}

describe('a check for a store', () => {
  it.each(['http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787'])(
    'follows the rule for localhost of a store at %s',
    async (store) => {
      expect(await checkAt(LOCAL, true, store)).toEqual([['remote.localhost warning'], 1]);
      expect(await checkAt(LOCAL, false, store)).toEqual([['remote.url error'], 1]);
    },
  );

  it.each(['https://store.example.com', 'https://localhost.example.com', 'http://192.168.1.7:8787'])(
    'sends no request to a store at %s, and refuses localhost',
    async (store) => expect(await checkAt(LOCAL, true, store)).toEqual([['remote.url error'], 0]),
  );

  it('refuses localhost when the store does not respond', async () =>
    expect(await checkAt(LOCAL, 'nothing')).toEqual([['remote.url error'], 1]));

  it('sends no request when the app does not use localhost', async () => {
    expect(await checkAt('https://mcp.example.com/mcp', true)).toEqual([[], 0]);
    expect(await checkAt('http://mcp.example.com/mcp', true)).toEqual([['remote.url error'], 0]);
  });
});
