import { EXAMPLE_MANIFEST } from '../src/example.ts';

/** A manifest that uses every field of the format, without a fault in store mode. */
export const RICH_MANIFEST = {
  ...EXAMPLE_MANIFEST,
  $schema: 'https://store.example.com/schemas/app-manifest-v3.json',
  author: 'Ada',
  homepage: 'https://example.com/#notes',
  support: 'mailto:help@example.com',
  platforms: ['darwin', 'linux'],
  arch: ['x64'],
  grants: ['files:receive', 'host:media'],
  categories: ['productivity', 'data'],
  branding: {
    icon: 'assets/icon.svg',
    mark: 'assets/mark.svg',
    accent: '#1A7f5c',
    screenshots: ['assets/1.png', 'assets/2.webp'],
  },
  accounts: [
    { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [], required: true, params: { prompt: 'consent' } },
    {
      id: 'archive',
      label: 'Archive',
      authorizeUrl: 'https://login.example.com/authorize',
      tokenUrl: 'https://login.example.com/token',
      revokeUrl: 'https://login.example.com/revoke',
      clientId: 'notes-app',
      scopes: ['read', 'https://example.com/write'],
    },
  ],
  requires: {
    providers: ['codex'],
    apps: [{ id: 'media', reason: 'Plays.' }],
    connectors: [{ url: 'https://charts.example.com/mcp', reason: 'Draws.', required: true }],
    optional: [
      { id: 'com.example.charts', reason: 'Draws.' },
      { url: 'https://maps.example.com/mcp', reason: 'Maps.' },
    ],
  },
  contributes: {
    tools: [
      {
        id: 'find',
        name: 'Find',
        description: 'Finds notes.',
        account: 'notes',
        confirm: { title: 'Send {{count}} files?', body: '**All** of them.', action: 'Send' },
        files: {
          image: {
            accept: ['image/*', 'application/vnd.ms-excel'],
            multiple: true,
            maxBytes: 1,
            prepare: { op: 'crop', width: 10, height: 10, x: 0, y: 16_384, fit: 'cover', gravity: 'north' },
          },
          sound: { prepare: { op: 'trim', start: 0.5, end: 600 } },
          other: { prepare: { op: 'compress', quality: 99.5, targetKb: 10, format: 'avif', aspect: '16:9' } },
        },
      },
    ],
    panels: [
      {
        id: 'main',
        title: 'Main',
        component: 'webview',
        icon: 'branding',
        config: { entry: 'ui/index.html' },
        views: [{ id: 'a', label: 'A' }],
      },
    ],
    settings: [{ id: 'theme', label: 'Theme', type: 'select', options: ['dark'] }],
  },
} as const;
