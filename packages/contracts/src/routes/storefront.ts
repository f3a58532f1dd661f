import { z } from 'zod';
import { CatalogQuery } from '../records/catalog.ts';
import { App, caching, PublisherParam } from './parts.ts';
import type { Route } from './route.ts';

/** What a picture for previews of links is asked for with. */
const previewQuery = z.object({
  v: z
    .string()
    .max(64)
    .optional()
    .describe('Changes with what it shows, for those who keep pictures for long.'),
});

/** The pictures that chats and networks show of links, as `og:image` names them: PNGs of 1200 by 630 pixels. */
const preview = {
  method: 'get',
  tag: 'Catalogue',
  auth: 'none',
  query: previewQuery,
  success: { status: 200, type: 'image/png' },
  headers: caching,
  errors: ['not_found', 'rate_limited'],
} as const;

/** What people see of the catalogue. */
export const storefrontRoutes = {
  cataloguePage: {
    method: 'get',
    path: '/',
    tag: 'Catalogue',
    summary: 'The catalogue, as a page.',
    auth: 'none',
    page: true,
    query: CatalogQuery.pick({ q: true, category: true, sort: true, cursor: true }),
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: [],
  },
  categoryPage: {
    method: 'get',
    path: '/categories/:category',
    tag: 'Catalogue',
    summary: 'The apps of a category, as a page. An unknown category is answered with those that there are.',
    auth: 'none',
    page: true,
    params: z.object({ category: z.string().describe('Name of the category, such as `media`.') }),
    query: CatalogQuery.pick({ sort: true, cursor: true }),
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  appPage: {
    method: 'get',
    path: '/apps/:appId',
    tag: 'Catalogue',
    summary: 'An app, as a page: what it is, what it may do, its versions, what people say of it.',
    auth: 'none',
    page: true,
    params: App,
    query: z.object({
      reviews: z.string().max(1_000).optional().describe('Where the page of reviews begins.'),
      versions: z.coerce
        .number()
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe('Which page of versions, from 1 on.'),
    }),
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  publisherPage: {
    method: 'get',
    path: '/publishers/:slug',
    tag: 'Catalogue',
    summary: 'A publisher with its apps, as a page.',
    auth: 'none',
    page: true,
    params: PublisherParam,
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  cataloguePreview: {
    ...preview,
    path: '/preview.png',
    summary: 'The picture for links to the catalogue.',
    errors: ['rate_limited'],
  },
  appPreview: {
    ...preview,
    path: '/apps/:appId/preview.png',
    summary: 'The picture for links to the page of an app: its icon, its name, its publisher.',
    params: App,
  },
  publisherPreview: {
    ...preview,
    path: '/publishers/:slug/preview.png',
    summary: 'The picture for links to the page of a publisher.',
    params: PublisherParam,
  },
} as const satisfies Record<string, Route>;
