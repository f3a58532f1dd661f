import type { Account, Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import type { AppSource, InstalledApp } from '../../src/library/installed-app.ts';

/** An installed app with these accounts. */
export function appWith(
  accounts: Account[],
  {
    mcpUrl = 'https://mcp.example.com/mcp',
    source = { kind: 'developer', folder: '/home/ada/app' } as AppSource,
    appId = 'com.example.notes',
  } = {},
): InstalledApp {
  const manifest: Manifest = {
    pluginApiVersion: 3,
    id: appId,
    name: 'Notes',
    version: '1.0.0',
    description: 'Keeps notes.',
    permissions: ['Reads your notes.'],
    contributes: {},
    publisher: 'example',
    remote: { mcpUrl, domains: [] },
    branding: { icon: 'assets/icon.svg' },
    accounts,
  };
  return {
    appId,
    version: '1.0.0',
    manifest,
    consent: footprintOf(manifest),
    source,
    on: true,
    yanked: null,
  };
}

/** The source of an app of a store. */
export const fromStore = (store: string): AppSource => ({
  kind: 'store',
  store,
  sha256: 'ab'.repeat(32),
  publishedAt: '2026-01-02T03:04:05.000Z',
  keyId: 'key',
});
