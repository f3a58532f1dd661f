import type { WebFiles } from './read-web-files.ts';

const ROOT = '<html lang="en"';

/**
 * Tells the built pages what this store lists, so that those which check bundles find what it would find: as an attribute of
 * their root, since the page that opens bundles of strangers has nobody to ask.
 */
export function markPages(files: WebFiles, { localApps }: { localApps: boolean }): WebFiles {
  if (!localApps) return files;
  const marked = Array.from(files, ([name, { body, type }]) => {
    if (!name.endsWith('.html')) return [name, { body, type }] as const;
    const page = new TextDecoder().decode(body).replace(ROOT, `${ROOT} data-local-apps`);
    return [name, { body: new TextEncoder().encode(page), type }] as const;
  });
  return new Map(marked);
}
