import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { ExtensionName } from '@svc/contracts';
import { html } from 'hono/html';
import { OWN_FILES } from '../../http/own-files.ts';
import { assetTags, type ShellOptions, shellFooter, shellHeader } from '../../http/shell.ts';
import type { Brand } from '../../platform/brand.ts';

const ROOT = '<html lang="en"';

/** The frame of each page. `check.html` opens untrusted bundles and may not send requests to the store. */
const AROUND: Readonly<Record<string, ShellOptions>> = {
  'check.html': { alone: true },
};

/** Adds the header and the footer of the store to a built page. */
const withShell = (page: string, around: ShellOptions, brand: Brand): string =>
  page
    .replace('</title>', () => String(html` · ${brand.name}</title>`))
    .replace('</head>', () => `${assetTags(brand)}</head>`)
    .replace('<body>', () => `<body>${shellHeader(around, brand)}`)
    .replace('<div id="page">', '<div id="page" class="page">')
    .replace('</body>', () => `${shellFooter(brand)}</body>`);

/**
 * Puts the built pages into the frame of the store. Attributes of the root element say whether the store lists local apps, so that
 * checks in the browser give the same result: the page that opens untrusted bundles cannot send a request; and which extensions the
 * store is without, so that the pages offer nothing of them.
 */
export function markPages(
  files: WebFiles,
  { localApps, brand, without }: { localApps: boolean; brand: Brand; without: readonly ExtensionName[] },
): WebFiles {
  const framed = Array.from(files, ([name, { body, type }]) => {
    if (!name.endsWith('.html')) return [name, { body, type }] as const;
    const page = withShell(new TextDecoder().decode(body), AROUND[name] ?? { search: true }, brand);
    const attributes = `${localApps ? ' data-local-apps' : ''}${without.length > 0 ? ` data-without="${without.join(' ')}"` : ''}`;
    const marked = page.replace(ROOT, ROOT + attributes);
    return [name, { body: new TextEncoder().encode(marked), type }] as const;
  });
  return new Map(framed);
}

/** A built file: its bytes and its media type. */
export type WebFile = { readonly body: Uint8Array; readonly type: string };

/** Built files, by their path below the folder of the built pages, with forward slashes. */
export type WebFiles = ReadonlyMap<string, WebFile>;

/** Media types of served files. Other files in the folder are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built pages into memory, so that no request can open a file.
 * @param folder the build output of `apps/web`; null when it was not built
 */
export async function readWebFiles(folder: string | null): Promise<WebFiles> {
  const files = new Map<string, WebFile>();
  if (folder === null) return files;
  for (const name of await readdir(folder, { recursive: true })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(name.split(sep).join('/'), { body: await readFile(join(folder, name)), type });
  }
  return files;
}

/** The static files of the store's pages, and their addresses. */
type StaticFiles = { files: WebFiles; addresses: ReadonlyMap<string, string> };

export function readStaticFiles(): StaticFiles {
  const all = [...OWN_FILES];
  return {
    files: new Map(all.map(([name, { path, body }]) => [path, { body, type: TYPES[extname(name)] ?? '' }])),
    addresses: new Map(all.map(([name, { path }]) => [name, `/${path}`])),
  };
}
