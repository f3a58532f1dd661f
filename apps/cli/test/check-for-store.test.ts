import { packBundle } from '@svc/bundle';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { checkBundle } from '../src/check-app.ts';
import { checkForStore } from '../src/check-for-store.ts';

const LOCAL = 'http://localhost:3000/mcp';

/** What is found in an app, and how often its store was asked. */
async function checkAt(mcpUrl: string, says: boolean | 'nothing', baseUrl = 'http://localhost:8787') {
  let asked = 0;
  const facts = async () => {
    asked += 1;
    if (says === 'nothing') throw new Error('There is no such place.');
    return { localApps: says };
  };
  const bytes = packBundle(sampleFiles(sampleManifest({ remote: { mcpUrl, domains: [] } })));
  const { checked } = await checkForStore({ baseUrl, facts }, (localhost) =>
    checkBundle(bytes, { mode: 'store', localhost }),
  );
  return [checked.issues.map(({ code, level }) => `${code} ${level}`), asked];
}

describe('a check for a store', () => {
  it.each(['http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787'])(
    'goes by what one at %s says of localhost',
    async (store) => {
      expect(await checkAt(LOCAL, true, store)).toEqual([['remote.localhost warning'], 1]);
      expect(await checkAt(LOCAL, false, store)).toEqual([['remote.url error'], 1]);
    },
  );

  it.each(['https://store.example.com', 'https://localhost.example.com', 'http://192.168.1.7:8787'])(
    'does not believe one at %s, nor asks it',
    async (store) => expect(await checkAt(LOCAL, true, store)).toEqual([['remote.url error'], 0]),
  );

  it('goes by the rules of every store when one does not say', async () =>
    expect(await checkAt(LOCAL, 'nothing')).toEqual([['remote.url error'], 1]));

  it('asks about nothing else', async () => {
    expect(await checkAt('https://mcp.example.com/mcp', true)).toEqual([[], 0]);
    expect(await checkAt('http://mcp.example.com/mcp', true)).toEqual([['remote.url error'], 0]);
  });
});
