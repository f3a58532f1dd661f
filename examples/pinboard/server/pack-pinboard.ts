import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { readFolder } from '@svc/bundle/folder';
import type { Manifest } from '@svc/contracts';

/** The folder with the app. */
export const APP_FOLDER = join(import.meta.dirname, '..', 'app');

/** The manifest with another server in it: as the address of its tools, and in the sentence that says where the app talks to. */
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
 * The files of the app, with the address of one server in them: in the manifest, and in the module that tells the panel where
 * its API is.
 * @param mcpUrl where the MCP server answers; its API is at the same origin
 * @throws TypeError when that is no address
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
 * The bundle of the app for one server: what a store is sent. A store takes a server under https alone; one on this machine is
 * for folders under development, and for stores that were set up to take it.
 */
export const packPinboard = async (server: { mcpUrl: string }): Promise<Uint8Array> =>
  packBundle(await pinboardFiles(server));
