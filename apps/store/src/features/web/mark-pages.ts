import { html } from 'hono/html';
import { assetTags, type ShellOptions, shellFooter, shellHeader } from '../../http/shell.ts';
import type { Brand } from '../../platform/brand.ts';
import type { WebFiles } from './read-web-files.ts';

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
    .replace('</body>', () => `${shellFooter()}</body>`);

/**
 * Puts the built pages into the frame of the store. An attribute of the root element says whether the store lists local apps, so that
 * checks in the browser give the same result: the page that opens untrusted bundles cannot send a request.
 */
export function markPages(
  files: WebFiles,
  { localApps, brand }: { localApps: boolean; brand: Brand },
): WebFiles {
  const framed = Array.from(files, ([name, { body, type }]) => {
    if (!name.endsWith('.html')) return [name, { body, type }] as const;
    const page = withShell(new TextDecoder().decode(body), AROUND[name] ?? { search: true }, brand);
    const withFlag = localApps ? page.replace(ROOT, `${ROOT} data-local-apps`) : page;
    return [name, { body: new TextEncoder().encode(withFlag), type }] as const;
  });
  return new Map(framed);
}
