import fc from 'fast-check';
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

/** Values that sit on the edges of what the rules look at. */
const ODD_VALUES: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    0,
    -0,
    1,
    1.5,
    -1,
    101,
    1e308,
    '',
    ' ',
    'a',
    'a.b',
    '*',
    '../a',
    'mcp',
    'svc',
    '__proto__',
  ],
  ...[
    'https://x.example',
    'https://x.example/ y',
    'https://x.example:99999',
    'HTTPS://x.example',
    'http://localhost',
  ],
  ...[
    'https://x.example/#a',
    'https://a b',
    'mailto:a@b.c',
    'mailto:a',
    '#FFFFFF\n',
    '#ffffff',
    'a\n/../b',
    '16:09',
    '0:1',
  ],
  ...[
    'n'.repeat(40),
    'n'.repeat(41),
    'n'.repeat(2_000),
    '\u200b',
    [],
    [''],
    ['a'],
    ['a b'],
    [null],
    {},
    { a: 'b' },
  ],
  ...[
    'é',
    'A',
    'a_b',
    '1a',
    '*.example.com',
    '2.0',
    '1.0.0-a+b',
    { op: 'resize', width: 1 },
    { entry: 'a/b.html' },
  ],
];

const odd = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.json().map((text): unknown => JSON.parse(text)),
);

/** Copies a value with some parts replaced by odd ones, left out or doubled. Mostly it leaves things as they are. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 200, arbitrary: mutatedInside(value) }, { weight: 1, arbitrary: odd });
}

function mutatedInside(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    return fc
      .tuple(...value.map(mutated))
      .chain((items) => fc.constantFrom(...Array(50).fill(items), [...items, ...items], items.slice(1)));
  }
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return fc.record(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mutated(item)])));
}

/** Manifests near to a good one: some good, most with a fault or two. */
export const nearManifest = mutated(RICH_MANIFEST);

/** Every value that comes of the rich manifest by putting an odd value in one place of it. */
export function* oneFaultManifests(value: unknown = RICH_MANIFEST): Generator<unknown> {
  yield* ODD_VALUES;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    for (const other of oneFaultManifests(item)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}
