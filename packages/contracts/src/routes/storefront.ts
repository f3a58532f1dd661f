import { z } from 'zod';
import { CatalogQuery, Oembed } from '../records/catalog.ts';
import { MAX_INTEGER } from '../records/common.ts';
import { ReviewOrder } from '../records/ratings.ts';
import { caching, route } from './route.ts';

/** Query of an image for link previews. */
const previewQuery = z.object({
  v: z
    .string()
    .max(64)
    .optional()
    .describe('Changes with the content of the image, for services that cache images for long.'),
});

/** Images for link previews (`og:image`) in chats and social networks: PNGs of 1200 by 630 pixels. */
const preview = {
  query: previewQuery,
  success: { status: 200, type: 'image/png' },
  headers: caching,
  errors: ['not_found', 'rate_limited'],
} as const;

const FeedFile = z
  .string()
  .max(100)
  .regex(/\.(?:atom|json)$/, 'must end in .atom or .json');

/** Public pages of the catalogue, and files for programs that know the web and not this store. */
export const storefrontRoutes = {
  robots: route.catalogue('everyone GET /robots.txt', {
    summary: 'Say which pages a crawler may read (RFC 9309).',
    success: { status: 200, type: 'text/plain' },
    headers: caching,
  }),
  sitemap: route.catalogue('members GET /sitemap.xml', {
    summary: 'List the pages of all apps (sitemaps.org), or the parts of that list.',
    success: { status: 200, type: 'application/xml' },
  }),
  sitemapPart: route.catalogue('members GET /sitemaps/:part', {
    summary: 'List 50,000 pages of apps.',
    params: z.object({ part: z.coerce.number().int().min(1).max(1_000) }),
    success: { status: 200, type: 'application/xml' },
    errors: ['invalid_request', 'not_found'],
  }),
  securityTxt: route.service('everyone GET /.well-known/security.txt', {
    summary: 'Say whom to tell of a vulnerability (RFC 9116).',
    success: { status: 200, type: 'text/plain' },
    errors: ['not_found'],
  }),
  appFeed: route.catalogue('members GET /feeds/apps/:file', {
    summary: 'Get the versions of an app as an Atom feed or a JSON Feed: `com.example.notes.atom`.',
    params: z.object({ file: FeedFile }),
    success: { status: 200, type: 'application/*' },
    headers: caching,
    errors: ['invalid_request', 'not_found', 'stopped'],
  }),
  publisherFeed: route.catalogue('members GET /feeds/publishers/:file', {
    summary: 'Get the last updated apps of a publisher as an Atom feed or a JSON Feed: `example.atom`.',
    params: z.object({ file: FeedFile }),
    success: { status: 200, type: 'application/*' },
    headers: caching,
    errors: ['invalid_request', 'not_found', 'stopped'],
  }),
  llms: route.catalogue('everyone GET /llms.txt', {
    summary: 'Say where an agent finds the catalogue, the API and the docs.',
    success: { status: 200, type: 'text/markdown' },
    headers: caching,
  }),
  feed: route.catalogue('members GET /feeds/:feed', {
    summary:
      'Get the newest apps, the last updated ones or the last yanked versions as an Atom feed (RFC 4287) or a JSON Feed.',
    params: z.object({
      feed: z
        .enum(['new.atom', 'new.json', 'updated.atom', 'updated.json', 'yanks.atom', 'yanks.json'])
        .describe('The feed and its format.'),
    }),
    success: { status: 200, type: 'application/*' },
    headers: caching,
    errors: ['invalid_request'],
  }),
  oembed: route.catalogue('members GET /oembed', {
    summary: 'Describe a page of an app for pages that link to it (oembed.com, type `link`).',
    query: z.object({
      url: z.string().max(2_000).describe('Address of the page of the app.'),
      format: z
        .string()
        .max(20)
        .optional()
        .describe('`json`; other formats are 501 in oEmbed, and 404 here.'),
      maxwidth: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_INTEGER)
        .optional()
        .describe('Width of the picture at most, in pixels.'),
      maxheight: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_INTEGER)
        .optional()
        .describe('Height of the picture at most, in pixels.'),
    }),
    success: { status: 200, body: Oembed },
    headers: caching,
    errors: ['not_found', 'stopped'],
  }),
  cataloguePage: route.catalogue('members GET /', {
    summary: 'Page of the catalogue.',
    page: true,
    query: CatalogQuery.pick({ q: true, category: true, sort: true, cursor: true }),
    headers: caching,
  }),
  categoryPage: route.catalogue('members GET /categories/:category', {
    summary: 'Page of the apps in a category. The page of an unknown category lists the existing ones.',
    page: true,
    params: z.object({ category: z.string().describe('Name of the category, such as `media`.') }),
    query: CatalogQuery.pick({ sort: true, cursor: true }).extend({
      only: z
        .string()
        .max(60)
        .optional()
        .describe('Only some apps: `verified`, `no-files`, `no-account` and `rated-4`, separated by commas.'),
    }),
    headers: caching,
    errors: ['invalid_request', 'not_found'],
  }),
  appPage: route.catalogue('members GET /apps/:appId', {
    summary: 'Page of an app: description, permissions, versions and reviews.',
    page: true,
    query: z.object({
      reviews: z.string().max(1_000).optional().describe('Cursor of a page of reviews.'),
      sort: ReviewOrder.optional().catch(undefined).describe('Order of the reviews.'),
      versions: z.coerce
        .number()
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe('Number of a page of versions, from 1.'),
    }),
    headers: caching,
    errors: ['not_found', 'stopped'],
  }),
  publisherPage: route.catalogue('members GET /publishers/:slug', {
    summary: 'Page of a publisher and its apps.',
    page: true,
    headers: caching,
    errors: ['not_found', 'stopped'],
  }),
  cataloguePreview: route.catalogue('members GET /preview.png', {
    ...preview,
    summary: 'Preview image for links to the catalogue.',
    errors: ['rate_limited'],
  }),
  appPreview: route.catalogue('members GET /apps/:appId/preview.png', {
    ...preview,
    summary: 'Preview image for links to an app: its icon, name and publisher.',
  }),
  publisherPreview: route.catalogue('members GET /publishers/:slug/preview.png', {
    ...preview,
    summary: 'Preview image for links to a publisher.',
    errors: ['not_found', 'stopped', 'rate_limited'],
  }),
};
