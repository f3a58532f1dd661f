import { z } from 'zod';
import { CatalogQuery } from '../records/catalog.ts';
import { App, caching } from './parts.ts';
import type { Route } from './route.ts';

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
} as const satisfies Record<string, Route>;
