import { createHash } from 'node:crypto';
import type { Manifest } from '@svc/contracts';
import { packedSample, sampleManifest } from '@svc/testkit';

/** The signed permissions of a manifest, written by hand and not by the code under test. */
type Reach = { accounts: string[]; domains: string[]; grants: string[] };

/** A bundle of the vectors, its content, and its facts except the time. */
export type VectorApp = Reach & {
  file: string;
  bytes: Uint8Array;
  manifest: Manifest;
  appId: string;
  version: string;
  sha256: string;
};

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512"><path d="M0 0h512v512H0z"/></svg>\n';

function app(file: string, changes: Partial<Manifest>, reach: Partial<Reach> = {}): VectorApp {
  // The bytes of a PNG depend on the version of zlib, but vectors must be the same everywhere.
  const branding = { icon: 'assets/icon.svg' };
  const manifest = sampleManifest({ branding, ...changes });
  const bytes = packedSample(manifest, {
    'assets/icon.png': null,
    'assets/mark.svg': null,
    'assets/icon.svg': ICON,
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id: appId, version } = manifest;
  const plain = {
    accounts: [],
    domains: ['api.example.com', 'mcp.example.com'],
    grants: ['files:receive'],
  };
  return { ...plain, ...reach, file, bytes, manifest, appId, version, sha256 };
}

const mail = (scopes: string[]): Manifest['accounts'] => [{ id: 'mail', label: 'Mail', auth: 'mcp', scopes }];

/** The bundles of `interop/signing`, by their role in the vectors. */
export const APPS = {
  notes: app('notes.zip', {}),
  wide: app(
    'wide.zip',
    {
      id: 'com.example.wide-1',
      version: '2.0.0-rc.1+build.5',
      grants: ['storage', 'host:media', 'files:receive', 'host:media'],
      remote: {
        mcpUrl: 'https://MCP.Example.com:8443/mcp',
        domains: [
          'xn--bcher-kva.example',
          'API.example.com',
          '*.cdn.example.com',
          'mcp.example.com',
          'api.Example.com',
        ],
      },
      accounts: [
        { id: 'mail_2', label: 'Second mail', auth: 'mcp', scopes: [] },
        {
          ...{ id: 'mail', label: 'Mail', auth: 'mcp', required: true },
          scopes: ['b', 'a', 'B', 'a', 'https://x.example/y?z=1&q', '<z>', '_'],
        },
      ],
    },
    {
      accounts: [
        ...[
          'mail',
          'mail:<z>',
          'mail:B',
          'mail:_',
          'mail:a',
          'mail:b',
          'mail:https://x.example/y?z=1&q',
          'mail_2',
        ],
      ],
      domains: ['*.cdn.example.com', 'api.example.com', 'mcp.example.com', 'xn--bcher-kva.example'],
      grants: ['files:receive', 'host:media', 'storage'],
    },
  ),
  bare: app(
    'bare.zip',
    {
      contributes: {},
      permissions: [],
      grants: [],
      remote: { mcpUrl: 'https://mcp.example.com/', domains: [] },
    },
    { domains: ['mcp.example.com'], grants: [] },
  ),
  moreGrants: app(
    'more-grants.zip',
    { grants: ['files:receive', 'host:media'] },
    { grants: ['files:receive', 'host:media'] },
  ),
  moreDomains: app(
    'more-domains.zip',
    { remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', 'evil.example'] } },
    { domains: ['api.example.com', 'evil.example', 'mcp.example.com'] },
  ),
  otherHost: app(
    'other-host.zip',
    { remote: { mcpUrl: 'https://evil.example/mcp', domains: ['api.example.com'] } },
    { domains: ['api.example.com', 'evil.example'] },
  ),
  account: app('account.zip', { accounts: mail(['read']) }, { accounts: ['mail', 'mail:read'] }),
  moreScopes: app(
    'more-scopes.zip',
    { accounts: mail(['read', 'send']) },
    { accounts: ['mail', 'mail:read', 'mail:send'] },
  ),
  otherApp: app('other-app.zip', { id: 'com.example.other' }),
  older: app('older.zip', { version: '0.9.0' }),
} satisfies Record<string, VectorApp>;
