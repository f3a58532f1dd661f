import type { Manifest } from '@svc/contracts';
import { type CorpusApp, KNOWN_APPS, KNOWN_PUBLISHERS, sampleBundle } from '@svc/testkit';

/** A store that automation may fill. */
type Fillable = { url: string; adminToken: string };

async function ask(
  { url, adminToken }: Fillable,
  method: string,
  path: string,
  body: object | Uint8Array<ArrayBuffer>,
  token: string | undefined = adminToken,
): Promise<Record<string, string>> {
  const isZip = body instanceof Uint8Array;
  const answer = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': isZip ? 'application/zip' : 'application/json',
    },
    body: isZip ? body : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

/** A coloured mark of an app's own, as a picture without a single raster. */
function iconOf(n: number): string {
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

function manifestOf({ appId: id, name, publisher, categories, description }: CorpusApp): Partial<Manifest> {
  return {
    id,
    name,
    publisher,
    categories,
    description,
  };
}

/** Publishes an app, and lets it pass. */
export async function publishApp(
  store: Fillable,
  manifest: Partial<Manifest>,
  files: Record<string, Uint8Array | string | null> = {},
): Promise<void> {
  const branding = { icon: 'assets/icon.svg', mark: 'assets/mark.svg', accent: '#336699' };
  const bytes = sampleBundle(
    { branding, ...manifest },
    { 'assets/icon.png': null, 'assets/icon.svg': iconOf(1), ...files },
  );
  const { token } = await ask(store, 'POST', '/api/admin/tokens', { publisher: manifest.publisher });
  const result = await ask(store, 'POST', '/api/apps/publish', Buffer.from(bytes), token);
  if (result.status !== 'in_review') return;
  const path = `/api/moderation/apps/${result.appId}/versions/${result.version}/approve`;
  await ask(store, 'POST', path, {});
}

/** Fills a store with publishers and some apps of all kinds. */
export async function seed(store: Fillable, count = 14): Promise<void> {
  for (const publisher of KNOWN_PUBLISHERS) await ask(store, 'POST', '/api/admin/publishers', publisher);
  for (const [n, app] of KNOWN_APPS.slice(0, count).entries()) {
    await publishApp(store, manifestOf(app), {
      'assets/icon.svg': iconOf(n),
      'README.md': `# ${app.name}\n\n${app.description}\n\n${README}`,
    });
  }
}
