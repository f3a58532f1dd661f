import * as catalog from '../records/catalog.ts';
import { App, caching, File, Raster, ranges, Version } from './parts.ts';
import type { Route } from './route.ts';

const ENCODED = '`Accept-Encoding`: `br`, `gzip` or neither, each with an ETag of its own.';

/** What clients find and fetch. */
export const catalogRoutes = {
  catalog: {
    method: 'get',
    path: '/api/apps/catalog',
    tag: 'Catalogue',
    summary: 'Search and list published apps.',
    auth: 'none',
    query: catalog.CatalogQuery,
    success: { status: 200, body: catalog.CatalogPage },
    headers: {
      ...caching,
      Link: 'Address of the next page, `rel="next"`.',
      Vary: ENCODED,
    },
    errors: [],
  },
  appDetail: {
    method: 'get',
    path: '/api/apps/:appId',
    tag: 'Catalogue',
    summary: 'One app with its README and versions.',
    auth: 'none',
    params: App,
    query: catalog.AppDetailQuery,
    success: { status: 200, body: catalog.AppDetail },
    headers: { ...caching, Vary: ENCODED },
    errors: ['not_found'],
  },
  bundle: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/bundle',
    tag: 'Catalogue',
    summary: 'The signed zip of a published version.',
    auth: 'none',
    params: Version,
    takes: {
      'X-Svc-Install-Id':
        'Counts the installation once for the app: 16 to 128 letters, digits and `-._~`, random. Anything else is ignored.',
      'X-Svc-Redirect':
        '`1` from a client that follows a 307 to the bytes, without these headers and without its token, and reads `X-Svc-…` from the 307.',
    },
    success: { status: 200, type: 'application/zip' },
    ranges: true,
    redirects: 'the bytes in the storage behind the store, where its operator has that',
    headers: {
      ...caching,
      ...ranges,
      'X-Svc-Sha256': 'SHA-256 of the zip, in hex.',
      'X-Svc-Signature': 'Ed25519 signature over the signed facts, in base64.',
      'X-Svc-Key-Id': 'Which key signed.',
      'X-Svc-Published-At': 'When it was published; part of the signed facts.',
    },
    errors: ['not_found', 'yanked'],
  },
  files: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/files/:path{.+}',
    tag: 'Catalogue',
    summary: 'A picture that the branding of a published version names.',
    auth: 'none',
    params: File,
    query: Raster,
    success: { status: 200, type: 'image/*' },
    ranges: true,
    headers: { ...caching, ...ranges },
    errors: ['not_found', 'yanked'],
  },
} as const satisfies Record<string, Route>;
