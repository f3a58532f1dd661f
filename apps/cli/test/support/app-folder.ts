import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packBundle } from '@svc/bundle';

/** A small valid manifest with some permissions. */
export const MANIFEST = {
  pluginApiVersion: 3,
  id: 'com.example.tidy',
  name: 'Tidy',
  version: '1.0.0',
  description: 'Tidies things up.',
  permissions: ['Reads the list you keep at example.com.'],
  contributes: { tools: [{ id: 'tidy_up', name: 'Tidy up', description: 'Tidies up.', account: 'list' }] },
  publisher: 'example',
  categories: ['productivity'],
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['API.example.com'] },
  branding: { icon: 'assets/icon.svg' },
  accounts: [{ id: 'list', label: 'List', auth: 'mcp', scopes: ['read'] }],
};

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path d="M0 0h512v512z"/></svg>\n';

/** Overrides for fields of the manifest and for files; `undefined` removes one. */
export type AppPatch = {
  manifest?: Record<string, unknown>;
  files?: Record<string, string | Uint8Array | undefined>;
};

/** The files of a valid app. */
function appFiles({ manifest, files }: AppPatch = {}): Map<string, Uint8Array> {
  const all = {
    'plugin.json': JSON.stringify({ ...MANIFEST, ...manifest }, null, 2),
    'README.md': '# Tidy\n',
    'assets/icon.svg': ICON,
    ...files,
  };
  return new Map(
    Object.entries(all).flatMap(([name, content]) =>
      content === undefined ? [] : [[name, typeof content === 'string' ? Buffer.from(content) : content]],
    ),
  );
}

/** A valid app, packed. */
export const appBundle = (patch: AppPatch = {}): Uint8Array => packBundle(appFiles(patch));

/** Writes a valid app into a folder and returns the folder. */
export async function writeApp(folder: string, patch: AppPatch = {}): Promise<string> {
  for (const [name, content] of appFiles(patch)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}
