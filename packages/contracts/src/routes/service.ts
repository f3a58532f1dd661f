import { z } from 'zod';
import { MANIFEST_SCHEMA_PATH } from '../manifest/json-schema.ts';
import { Health, StoreFacts } from '../records/common.ts';
import { caching } from './parts.ts';
import { route } from './route.ts';

const Code = z.object({ code: z.string().describe('A validation code, such as `remote.url`.') });
const Place = z.object({ place: z.string().describe('Path of the page.') });
const Asset = z.object({ file: z.string().describe('Name of the file, which changes with its content.') });

/** Health, documentation and pages of the store. */
export const serviceRoutes = {
  openApi: route.service('GET /api/openapi.json', {
    summary: 'Get this API as an OpenAPI 3.1 document.',
    auth: 'none',
    success: { status: 200, type: 'application/json' },
    headers: caching,
  }),
  storeFacts: route.service('GET /api/store', {
    summary: 'Get facts about the store that a client needs first.',
    auth: 'none',
    success: { status: 200, body: StoreFacts },
  }),
  health: route.service('GET /healthz', {
    summary: 'Liveness: whether the process is running.',
    auth: 'none',
    success: { status: 200, body: Health },
  }),
  ready: route.service('GET /readyz', {
    summary: 'Readiness: whether the database and the blob storage are available.',
    auth: 'none',
    success: { status: 200, body: Health },
  }),
  metrics: route.service('GET /metrics', {
    summary: 'Get metrics in the Prometheus format. Also with the token of the setting `SVC_METRICS_TOKEN`.',
    auth: 'admin',
    scraped: true,
    success: { status: 200, type: 'text/plain' },
  }),
  manifestSchema: route.service(`GET ${MANIFEST_SCHEMA_PATH}`, {
    summary: 'Get the JSON Schema of a manifest, for editors.',
    auth: 'none',
    success: { status: 200, type: 'application/schema+json' },
    headers: caching,
  }),
  docsIndex: route.service('GET /docs', {
    summary: 'Index page of the documentation, or of search results in it.',
    auth: 'none',
    query: z.object({ q: z.string().max(200).optional().describe('Words to search for.') }),
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  }),
  codes: route.service('GET /docs/codes', {
    summary: 'Page of all validation codes.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
  }),
  code: route.service('GET /docs/codes/:code', {
    summary: 'Page of a validation code: what it means and how to fix it.',
    auth: 'none',
    params: Code,
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  }),
  docsPage: route.service('GET /docs/:name', {
    summary: 'Page of the documentation.',
    auth: 'none',
    params: z.object({ name: z.string().describe('Name of the file in `docs`, without `.md`.') }),
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  }),
  cliPage: route.service('GET /cli', {
    summary: 'Page that explains how to install the command line of this store, with its version and hash.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  }),
  cliTarball: route.service('GET /cli.tgz', {
    summary: 'Download the command line of this store as an npm package: `npx ADDRESS/cli.tgz login`.',
    auth: 'none',
    success: { status: 200, type: 'application/gzip' },
    headers: caching,
    errors: ['not_found'],
  }),
  checkPage: route.service('GET /check', {
    summary: 'Page that checks a bundle in the browser, without uploading it.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  }),
  accountPage: route.service('GET /account', {
    summary: 'Page for users to manage their account.',
    auth: 'person',
    page: true,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found'],
  }),
  accountSubpage: route.service('GET /account/:place{.+}', {
    summary: 'Page for users to manage their publishers or tokens.',
    auth: 'person',
    page: true,
    params: Place,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found'],
  }),
  moderationPage: route.service('GET /moderation', {
    summary: 'Page with the review queue.',
    auth: 'moderator',
    page: true,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found'],
  }),
  moderationSubpage: route.service('GET /moderation/:place{.+}', {
    summary: 'Page for moderators to review a version.',
    auth: 'moderator',
    page: true,
    params: Place,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found'],
  }),
  adminPage: route.service('GET /admin', {
    summary: 'Page with the health of the store.',
    auth: 'admin',
    page: true,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found'],
  }),
  adminSubpage: route.service('GET /admin/:place{.+}', {
    summary: 'Page for administrators to manage users, publishers, apps, keys and settings.',
    auth: 'admin',
    page: true,
    params: Place,
    success: { status: 200, type: 'text/html' },
    errors: ['not_found'],
  }),
  webAsset: route.service('GET /assets/:file', {
    summary: 'Download a script or style sheet of a page.',
    auth: 'none',
    params: Asset,
    success: { status: 200, type: '*/*' },
    headers: caching,
    errors: ['not_found'],
  }),
  docs: route.service('GET /api/docs', {
    summary: 'Overview of this API, one part of it, or search results in it.',
    auth: 'none',
    query: z.object({
      q: z.string().max(200).optional().describe('Words to search for.'),
      tag: z.string().max(40).optional().describe('A part of the API, such as `Catalogue`.'),
    }),
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  }),
};
