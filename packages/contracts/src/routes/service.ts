import { z } from 'zod';
import { MANIFEST_SCHEMA_PATH } from '../manifest/json-schema.ts';
import { Health, StoreFacts } from '../records/common.ts';
import { caching, route } from './route.ts';

const Code = z.object({ code: z.string().describe('A validation code, such as `remote.url`.') });
const Asset = z.object({ file: z.string().describe('Name of the file, which changes with its content.') });

/** Health, documentation and pages of the store. */
export const serviceRoutes = {
  openApi: route.service('everyone GET /api/openapi.json', {
    summary: 'Get this API as an OpenAPI 3.1 document.',
    success: { status: 200, type: 'application/json' },
    headers: caching,
  }),
  storeFacts: route.service('everyone GET /api/store', {
    summary: 'Get facts about the store that a client needs first.',
    success: { status: 200, body: StoreFacts },
  }),
  health: route.service('everyone GET /healthz', {
    summary: 'Liveness: whether the process is running.',
    success: { status: 200, body: Health },
  }),
  ready: route.service('everyone GET /readyz', {
    summary: 'Readiness: whether the database and the blob storage are available.',
    success: { status: 200, body: Health },
  }),
  metrics: route.service('admin GET /metrics', {
    summary: 'Get metrics in the Prometheus format. Also with the token of the setting `SVC_METRICS_TOKEN`.',
    scraped: true,
    success: { status: 200, type: 'text/plain' },
  }),
  manifestSchema: route.service(`everyone GET ${MANIFEST_SCHEMA_PATH}`, {
    summary: 'Get the JSON Schema of a manifest, for editors.',
    success: { status: 200, type: 'application/schema+json' },
    headers: caching,
  }),
  docsIndex: route.service('everyone GET /docs', {
    summary: 'Index page of the documentation, or of search results in it.',
    query: z.object({ q: z.string().max(200).optional().describe('Words to search for.') }),
    headers: caching,
    errors: ['not_found'],
  }),
  codes: route.service('everyone GET /docs/codes', {
    summary: 'Page of the validation codes: all, those with some words, or those of a level.',
    query: z.object({
      q: z.string().max(200).optional().describe('Words to search for.'),
      level: z.enum(['error', 'store-error', 'warning']).optional().describe('The level of the codes.'),
    }),
    headers: caching,
  }),
  code: route.service('everyone GET /docs/codes/:code', {
    summary: 'Page of a validation code: what it means and how to fix it.',
    params: Code,
    headers: caching,
  }),
  docsPage: route.service('everyone GET /docs/:name', {
    summary: 'Page of the documentation.',
    params: z.object({ name: z.string().describe('Name of the file in `docs`, without `.md`.') }),
    redirects: 'the page into which it was merged',
    headers: caching,
  }),
  cliPage: route.service('everyone GET /cli', {
    summary: 'Page that explains how to install the command line of this store, with its version and hash.',
    headers: caching,
    errors: ['not_found'],
  }),
  cliTarball: route.service('everyone GET /cli.tgz', {
    summary: 'Download the command line of this store as an npm package: `npx ADDRESS/cli.tgz login`.',
    success: { status: 200, type: 'application/gzip' },
    headers: caching,
    errors: ['not_found'],
  }),
  download: route.service('everyone GET /downloads/:file', {
    summary:
      'Download the command line with a Node of its own for one system, their hashes (`SHA256SUMS`), or the signature of these (`SHA256SUMS.sig`).',
    params: z.object({ file: z.string().max(100).describe('A name in `SHA256SUMS`, or one of these two.') }),
    success: { status: 200, type: '*/*' },
    headers: caching,
    errors: ['not_found'],
  }),
  checkPage: route.service('everyone GET /check', {
    summary: 'Page that checks a bundle in the browser, without uploading it.',
    headers: caching,
    errors: ['not_found'],
  }),
  accountPage: route.service('person GET /account', {
    summary: 'Page for users to manage their account.',
    page: true,
    errors: ['not_found'],
  }),
  accountSubpage: route.service('person GET /account/:place{.+}', {
    summary: 'Page for users to manage their publishers or tokens.',
    page: true,
  }),
  moderationPage: route.service('moderator GET /moderation', {
    summary: 'Page with the review queue.',
    page: true,
    errors: ['not_found'],
  }),
  moderationSubpage: route.service('moderator GET /moderation/:place{.+}', {
    summary: 'Page for moderators to review a version.',
    page: true,
  }),
  adminPage: route.service('admin GET /admin', {
    summary: 'Page with the health of the store.',
    page: true,
    errors: ['not_found'],
  }),
  adminSubpage: route.service('admin GET /admin/:place{.+}', {
    summary: 'Page for administrators to manage users, publishers, apps, keys and settings.',
    page: true,
  }),
  webAsset: route.service('everyone GET /assets/:file', {
    closed: true,
    summary: 'Download a script or style sheet of a page.',
    params: Asset,
    success: { status: 200, type: '*/*' },
    headers: caching,
  }),
  docs: route.service('everyone GET /api/docs', {
    summary: 'Overview of this API, one part of it, or search results in it.',
    query: z.object({
      q: z.string().max(200).optional().describe('Words to search for.'),
      tag: z.string().max(40).optional().describe('A part of the API, such as `Catalogue`.'),
    }),
    headers: caching,
    errors: ['not_found'],
  }),
};
