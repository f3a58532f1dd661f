import { sampleManifest } from '@svc/testkit';
import { expect, it } from 'vitest';
import { asDeveloperManifest } from '../../src/developer/developer-manifest.ts';

const remote = { mcpUrl: 'http://localhost:3000/mcp', domains: [] };

it('returns a manifest that the store accepts without changes', () => {
  const manifest = sampleManifest();
  expect(asDeveloperManifest(manifest)).toEqual(manifest);
});

it('accepts addresses of this machine, and does not need the fields that only a store requires', () => {
  const { publisher, branding, permissions, ...rest } = sampleManifest({ remote });
  const accounts = [
    {
      id: 'me',
      label: 'Me',
      authorizeUrl: 'http://localhost:1/a',
      tokenUrl: 'http://127.0.0.1:1/t',
      clientId: 'c',
      scopes: [],
    },
  ];
  const requires = { connectors: [{ url: 'http://localhost:2/mcp', reason: 'Draws.' }] };
  const found = asDeveloperManifest({ ...rest, pluginApiVersion: 2, accounts, requires, author: 7 });
  expect(found).toMatchObject({ pluginApiVersion: 3, remote, accounts, requires, publisher: 'developer' });
  expect([publisher, branding, permissions]).not.toContain(undefined);
});

it('removes the grants that only built-in apps can have', () => {
  expect(
    asDeveloperManifest({ ...sampleManifest(), grants: ['exec', 'storage', 'network'] })?.grants,
  ).toEqual(['storage']);
});

it.each([
  ['a server in the bundle', { remote: undefined, server: 'server.js' }],
  ['an address that is not http or https', { remote: { mcpUrl: 'file:///etc/passwd', domains: [] } }],
])('returns null for a manifest with %s', (_name, changes) => {
  expect(asDeveloperManifest({ ...sampleManifest(), ...changes })).toBeNull();
});
