import { expect, it } from 'vitest';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

it('shows accounts as the manifest declares them, and the pictures of the installed and of the new version', async () => {
  const store = await startSigningStore();
  const account = (id: string) => ({ id, label: id, auth: 'mcp' as const, scopes: [`${id}:read`] });
  const first = store.publish({ accounts: [account('notes'), { ...account('mail'), required: true }] });
  const { installer, install } = await openWorld(store);
  const { icon, mark } = first.manifest.branding;
  const before = { sha256: first.release.sha256, icon, mark };
  expect(await installer.prepareInstall(APP)).toMatchObject({
    accounts: [
      { id: 'notes', label: 'notes', scopes: ['notes:read'], required: false },
      { id: 'mail', label: 'mail', scopes: ['mail:read'], required: true },
    ],
    pictures: { before: null, after: before },
  });
  await install();
  const { release } = store.publish({ version: '1.1.0' });
  expect((await installer.prepareInstall(APP)).pictures).toEqual({
    before,
    after: { ...before, sha256: release.sha256 },
  });
});

it('shows of all changes of an update those that steer agents, without tools that are gone', async () => {
  const store = await startSigningStore();
  const tool = (id: string, description: string) => ({ id, name: id, description });
  store.publish({ contributes: { tools: [tool('add', 'Adds.'), tool('gone', 'Goes.')] } });
  const { installer, install } = await openWorld(store);
  await install();
  store.publish({
    version: '1.1.0',
    remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['more.example.com'] },
    contributes: { tools: [tool('add', 'Adds more.')] },
  });
  const { instructions, widened } = await installer.prepareInstall(APP);
  expect(instructions.map(({ path }) => path)).toEqual(['/contributes/tools/add/description']);
  expect(widened?.domainsAdded).toEqual(['more.example.com']);
});
