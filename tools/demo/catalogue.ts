import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { readFolder } from '@svc/bundle/folder';
import type { Manifest } from '@svc/contracts';
import { pinboardFiles } from '@svc/example-pinboard';

const NOTES = join(import.meta.dirname, '../../examples/hello-notes');

type Files = Map<string, Uint8Array>;
type Publisher = { slug: string; name: string; verified: boolean };

export const PUBLISHERS: readonly Publisher[] = [
  { slug: 'example', name: 'Example Ltd.', verified: true },
  { slug: 'harbour', name: 'Harbour Tools', verified: true },
  { slug: 'meadow', name: 'Meadow & Sons', verified: false },
];

/** More apps for the catalogue, derived from Hello Notes. Their servers do not exist. */
const OTHERS: readonly Pick<Manifest, 'id' | 'name' | 'publisher' | 'description' | 'categories'>[] = [
  {
    id: 'com.example.tides',
    name: 'Tides',
    publisher: 'harbour',
    description: 'High and low water for the harbours you care about. It does not ask where you are.',
    categories: ['data'],
  },
  {
    id: 'com.example.ledger',
    name: 'Ledger',
    publisher: 'harbour',
    description: 'Reads your invoices, and lists the unpaid ones.',
    categories: ['finance', 'productivity'],
  },
  {
    id: 'com.example.herbarium',
    name: 'Herbarium',
    publisher: 'meadow',
    description: 'Names the plant on a picture, and keeps where and when you found it.',
    categories: ['education'],
  },
];

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const withManifest = (files: Files, change: (manifest: Manifest) => Manifest): Files =>
  new Map(files).set(
    'plugin.json',
    encode(JSON.stringify(change(JSON.parse(new TextDecoder().decode(files.get('plugin.json')))))),
  );

/** A distinct icon per app: the same shapes, rotated, in another colour. */
const iconOf = (n: number): Uint8Array =>
  encode(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512">
<rect width="512" height="512" rx="96" fill="hsl(${(n * 97 + 200) % 360} 45% 38%)"/>
<g fill="none" stroke="#fff" stroke-width="40" stroke-linejoin="round" transform="rotate(${n * 45} 256 256)">
<path d="M120 340 256 140l136 200z"/><circle cx="256" cy="270" r="60"/></g></svg>\n`);

async function others(): Promise<Files[]> {
  const { entries } = await readFolder(NOTES);
  return OTHERS.map((about, n) =>
    withManifest(new Map(entries), (manifest) => ({
      ...manifest,
      ...about,
      branding: { ...manifest.branding, icon: 'assets/icon.svg', screenshots: [] },
    }))
      .set('assets/icon.svg', iconOf(n))
      .set('README.md', encode(`# ${about.name}\n\n${about.description}\n`)),
  );
}

/**
 * The bundles of the demo store.
 * @param mcpUrl MCP server of Pinboard, the one app that works
 */
export async function firstBundles(mcpUrl: string): Promise<Uint8Array[]> {
  const notes = new Map((await readFolder(NOTES)).entries);
  return [await pinboardFiles({ mcpUrl }), notes, ...(await others())].map((files) => packBundle(files));
}

/** An update of Pinboard that adds permissions: one more domain. */
export async function pinboardUpdate(mcpUrl: string): Promise<Uint8Array> {
  const files = await pinboardFiles({ mcpUrl });
  const update = withManifest(files, (manifest) => ({
    ...manifest,
    version: '1.1.0',
    permissions: [...manifest.permissions, 'Fetches the pictures of links from images.example.com.'],
    remote: { ...manifest.remote, domains: [...manifest.remote.domains, 'images.example.com'] },
  }));
  return packBundle(update.set('CHANGELOG.md', encode('## 1.1.0\n\n- Shows the pictures of links.\n')));
}
