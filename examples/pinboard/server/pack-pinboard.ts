import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { readFolder } from '@svc/bundle/folder';
import type { Manifest } from '@svc/contracts';

/** The folder with the app. */
export const APP_FOLDER = join(import.meta.dirname, '..', 'app');

/** The manifest for another server: replaces the URL of the tools, and the host in the permission texts. */
function manifestFor(manifest: Manifest, mcpUrl: string): Manifest {
  const [before, after] = [manifest.remote.mcpUrl, mcpUrl].map((url) => `Talks to ${new URL(url).hostname},`);
  return {
    ...manifest,
    permissions: manifest.permissions.map((sentence) => sentence.replace(before ?? '', after ?? '')),
    remote: { ...manifest.remote, mcpUrl },
  };
}

const serverModule = (origin: string): string =>
  `/** Where the board is. \`packPinboard\` puts the address of another server here. */\nexport const SERVER = '${origin}';\n`;

/**
 * Returns the files of the app for a server: its URL is in the manifest, and in the module with the URL of the API for the
 * panel.
 * @param mcpUrl URL of the MCP server; the API has the same origin
 * @throws TypeError when it is not a URL
 */
export async function pinboardFiles({ mcpUrl }: { mcpUrl: string }): Promise<Map<string, Uint8Array>> {
  const { entries } = await readFolder(APP_FOLDER);
  const manifest = JSON.parse(new TextDecoder().decode(entries.get('plugin.json')));
  const changed: [string, string][] = [
    ['plugin.json', `${JSON.stringify(manifestFor(manifest, mcpUrl), null, 2)}\n`],
    ['ui/server.js', serverModule(new URL(mcpUrl).origin)],
  ];
  const encoder = new TextEncoder();
  return new Map([...entries, ...changed.map(([path, text]) => [path, encoder.encode(text)] as const)]);
}

/**
 * Packs the bundle of the app for a server. A store only accepts a server with https; a server on this machine is only
 * for development folders, and for stores that allow it.
 */
export const packPinboard = async (server: { mcpUrl: string }): Promise<Uint8Array> =>
  packBundle(await pinboardFiles(server));
