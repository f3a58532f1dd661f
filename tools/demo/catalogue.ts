import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { readFolder } from '@svc/bundle/folder';
import type { Manifest, NewPublisher } from '@svc/contracts';
import { pinboardFiles } from '@svc/example-pinboard';
import { sampleBundle } from '@svc/testkit';
import { SHOWN_APPS, SHOWN_PUBLISHERS, type ShownApp, shownFiles, shownManifest } from './showcase.ts';

const NOTES = join(import.meta.dirname, '../../examples/hello-notes');

type Files = Map<string, Uint8Array>;

export const PUBLISHERS: readonly NewPublisher[] = [
  { slug: 'example', name: 'Example Ltd.', verified: true },
  ...SHOWN_PUBLISHERS,
];

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const withManifest = (files: Files, change: (manifest: Manifest) => Manifest): Files =>
  new Map(files).set(
    'plugin.json',
    encode(JSON.stringify(change(JSON.parse(new TextDecoder().decode(files.get('plugin.json')))))),
  );

/** How many of the example apps the store has when the demo opens. */
export const FIRST_SHOWN = 3;

/** The bundle of an example app. */
export const bundleOf = async (app: ShownApp): Promise<Uint8Array> =>
  sampleBundle(shownManifest(app), await shownFiles(app));

/**
 * The bundles that the demo store opens with.
 * @param mcpUrl MCP server of Pinboard, the one app that works
 */
export async function firstBundles(mcpUrl: string): Promise<Uint8Array[]> {
  const notes = new Map((await readFolder(NOTES)).entries);
  const own = [await pinboardFiles({ mcpUrl }), notes].map((files) => packBundle(files));
  return [...own, ...(await Promise.all(SHOWN_APPS.slice(0, FIRST_SHOWN).map(bundleOf)))];
}

/** An update of Pinboard that adds permissions: one more domain. */
export async function pinboardUpdate(mcpUrl: string): Promise<Uint8Array> {
  const files = await pinboardFiles({ mcpUrl });
  const update = withManifest(files, (manifest) => ({
    ...manifest,
    version: '1.1.0',
    permissions: manifest.permissions.with(
      -1,
      'Talks to localhost, where its server runs, and to images.example.com for the pictures of links.',
    ),
    remote: { ...manifest.remote, domains: [...manifest.remote.domains, 'images.example.com'] },
  }));
  return packBundle(update.set('CHANGELOG.md', encode('## 1.1.0\n\n- Shows the pictures of links.\n')));
}
