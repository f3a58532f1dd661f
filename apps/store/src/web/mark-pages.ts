import { html } from 'hono/html';
import { type Around, assetTags, shellFooter, shellHeader } from '../http/shell.ts';
import type { Brand } from '../platform/brand.ts';
import type { WebFiles } from './read-web-files.ts';

const ROOT = '<html lang="en"';

/** Where each page belongs; `check.html` opens bundles of others and may ask the store nothing. */
const AROUND: Readonly<Record<string, Around>> = {
  'check.html': { alone: true },
  'account.html': { here: 'publish', search: true },
};

/** The header and foot of the store around a built page, so that all pages share one of each. */
const withShell = (page: string, around: Around, brand: Brand): string =>
  page
    .replace('</title>', () => String(html` · ${brand.name}</title>`))
    .replace('</head>', () => `${assetTags(brand)}</head>`)
    .replace('<body>', () => `<body>${shellHeader(around, brand)}`)
    .replace('<div id="page">', '<div id="page" class="page">')
    .replace('</body>', () => `${shellFooter()}</body>`);

/**
 * Puts the built pages into the frame of the store. They are told what this store lists, so that those which check bundles
 * find what it would find: as an attribute of their root, since the page that opens bundles of others has nobody to ask.
 */
export function markPages(
  files: WebFiles,
  { localApps, brand }: { localApps: boolean; brand: Brand },
): WebFiles {
  const marked = Array.from(files, ([name, { body, type }]) => {
    if (!name.endsWith('.html')) return [name, { body, type }] as const;
    const page = withShell(new TextDecoder().decode(body), AROUND[name] ?? { search: true }, brand);
    const told = localApps ? page.replace(ROOT, `${ROOT} data-local-apps`) : page;
    return [name, { body: new TextEncoder().encode(told), type }] as const;
  });
  return new Map(marked);
}
