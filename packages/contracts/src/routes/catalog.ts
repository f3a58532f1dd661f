import { z } from 'zod';
import * as catalog from '../records/catalog.ts';
import { App, caching, Version } from './parts.ts';
import type { Route } from './route.ts';

const File = z.object({ ...Version.shape, path: z.string().describe('Path of the file inside the bundle.') });

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
    headers: { ...caching, Link: 'Address of the next page, `rel="next"`.' },
    errors: [],
  },
  appDetail: {
    method: 'get',
    path: '/api/apps/:appId',
    tag: 'Catalogue',
    summary: 'One app with its README and versions.',
    auth: 'none',
    params: App,
    success: { status: 200, body: catalog.AppDetail },
    headers: caching,
    errors: ['not_found'],
  },
  bundle: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/bundle',
    tag: 'Catalogue',
    summary: 'The signed zip of a published version.',
    auth: 'none',
    params: Version,
    success: { status: 200, type: 'application/zip' },
    headers: {
      ...caching,
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
    success: { status: 200, type: 'image/*' },
    headers: caching,
    errors: ['not_found', 'yanked'],
  },
} as const satisfies Record<string, Route>;
