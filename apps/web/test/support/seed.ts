import type { Manifest } from '@svc/contracts';
import { automationOf, type CorpusApp, KNOWN_APPS, KNOWN_PUBLISHERS, sampleBundle } from '@svc/testkit';

/** A store that accepts the token of its automation. */
type Fillable = { url: string; adminToken: string };

/** A coloured SVG icon, different for each app. */
export function iconOf(n: number): string {
  const hue = (n * 47) % 360;
  const turn = (n * 30) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="hsl(${hue} 65% 45%)"/><g fill="none" stroke="#fff" stroke-width="44" transform="rotate(${turn} 256 256)"><path d="M140 330 256 150l116 180z"/><circle cx="256" cy="256" r="170"/></g></svg>\n`;
}

const README = `Keeps what you tell it, and finds it again.

## What it does well

- **Quick**: a note is kept before you have let go of the key.
- Works with \`tags\`, dates and [links](https://example.com/).

| you say | it does |
|---|---|
| *note* milk | keeps a note |
| *find* milk | finds it |
`;

function manifestOf({ appId: id, name, publisher, categories, description }: CorpusApp) {
  return {
    id,
    name,
    publisher,
    categories,
    description,
  };
}

/** Uploads a version with the token of its publisher; it may wait for a moderator. */
export async function submitApp(
  store: Fillable,
  manifest: Partial<Manifest>,
  files: Record<string, Uint8Array | string | null> = {},
): Promise<void> {
  const automation = automationOf(store.url, store.adminToken);
  const token = await automation.publisherToken(manifest.publisher ?? 'example');
  await automation.upload(sampleBundle(manifest, files), token);
}

/** Publishes and approves an app. */
export async function publishApp(
  store: Fillable,
  manifest: Partial<Manifest> & Pick<Manifest, 'publisher'>,
  files: Record<string, Uint8Array | string | null> = {},
): Promise<void> {
  const branding = { icon: 'assets/icon.svg', mark: 'assets/mark.svg', accent: '#336699' };
  const bytes = sampleBundle(
    { branding, ...manifest },
    { 'assets/icon.png': null, 'assets/icon.svg': iconOf(1), ...files },
  );
  const automation = automationOf(store.url, store.adminToken);
  await automation.publish(bytes, await automation.publisherToken(manifest.publisher));
}

/** Fills a store with publishers and apps. */
export async function seed(store: Fillable, count = 14): Promise<void> {
  const automation = automationOf(store.url, store.adminToken);
  for (const publisher of KNOWN_PUBLISHERS) await automation.addPublisher(publisher);
  for (const [n, app] of KNOWN_APPS.slice(0, count).entries()) {
    await publishApp(store, manifestOf(app), {
      'assets/icon.svg': iconOf(n),
      'README.md': `# ${app.name}\n\n${app.description}\n\n${README}`,
    });
  }
}
