import { createHash } from 'node:crypto';
import { packBundle } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import { png } from './picture.ts';

/** A valid manifest with few permissions. */
export const sampleManifest = (changes: Partial<Manifest> = {}): Manifest => ({
  pluginApiVersion: 3,
  id: 'com.example.notes',
  name: 'Notes',
  version: '1.0.0',
  description: 'Keeps short notes. They can be found again.',
  permissions: ['Reads the files you hand to it.'],
  contributes: {
    tools: [
      {
        id: 'add_note',
        name: 'Add a note',
        description: 'Keeps a note.',
        files: { attachment: { maxBytes: 1_000 } },
      },
      {
        id: 'clear',
        name: 'Clear',
        description: 'Removes all notes.',
        confirm: { title: 'Remove all notes?' },
      },
    ],
  },
  publisher: 'example',
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com'] },
  branding: { icon: 'assets/icon.png', mark: 'assets/mark.svg', accent: '#336699' },
  grants: ['files:receive'],
  categories: ['productivity'],
  ...changes,
});

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const MARK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>\n';

/** The files of a valid app. A file given as null is omitted. */
export function sampleFiles(
  manifest: unknown = sampleManifest(),
  files: Record<string, Uint8Array | string | null> = {},
): Map<string, Uint8Array> {
  const all: Record<string, Uint8Array | string | null> = {
    'plugin.json': JSON.stringify(manifest),
    'README.md': '# Notes\n',
    'CHANGELOG.md': '## 1.0.0\n',
    'assets/icon.png': png(512),
    'assets/mark.svg': MARK,
    ...files,
  };
  return new Map(
    Object.entries(all).flatMap(([path, bytes]): [string, Uint8Array][] =>
      bytes === null ? [] : [[path, typeof bytes === 'string' ? text(bytes) : bytes]],
    ),
  );
}

/** Limits of the cache of bundles. */
const KEPT = { bundles: 500, bytes: 64 * 1024 };

/** Cache of packed bundles by the hash of their files: most tests use the same few bundles. */
const packed = new Map<string, Uint8Array>();

function hashOf(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256');
  for (const [path, bytes] of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
}

/**
 * Packs the bundle of a valid app, with changes to its manifest and files. The files are not compressed, which is forty times
 * faster than `packedSample`.
 */
export function sampleBundle(
  changes: Partial<Manifest> = {},
  files: Record<string, Uint8Array | string | null> = {},
): Uint8Array {
  const all = sampleFiles(sampleManifest(changes), files);
  const key = hashOf(all);
  const bundle = packed.get(key) ?? packBundle(all, { stored: true });
  if (packed.size >= KEPT.bundles) packed.clear();
  if (bundle.length <= KEPT.bytes) packed.set(key, bundle);
  // A copy, because tests modify it.
  return bundle.slice();
}

/** Packs the same bundle compressed, as publishers do, for tests that depend on its size or its bytes. */
export const packedSample = (
  changes: Partial<Manifest> = {},
  files: Record<string, Uint8Array | string | null> = {},
): Uint8Array => packBundle(sampleFiles(sampleManifest(changes), files));
