import { z } from 'zod';
import { MANIFEST_SCHEMA_PATH } from '../manifest/json-schema.ts';
import { Health } from '../records/common.ts';
import { caching } from './parts.ts';
import type { Route } from './route.ts';

const Code = z.object({ code: z.string().describe('A validation code, such as `remote.url`.') });
const Asset = z.object({ file: z.string().describe('Name of the file, which changes with its content.') });

/** What the store says of itself. */
export const serviceRoutes = {
  openApi: {
    method: 'get',
    path: '/api/openapi.json',
    tag: 'Service',
    summary: 'This description, as OpenAPI 3.1.',
    auth: 'none',
    success: { status: 200, type: 'application/json' },
    headers: caching,
    errors: [],
  },
  health: {
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the process is alive.',
    auth: 'none',
    success: { status: 200, body: Health },
    errors: [],
  },
  ready: {
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether the store can work: its database and its bundles are in reach.',
    auth: 'none',
    success: { status: 200, body: Health },
    errors: [],
  },
  metrics: {
    method: 'get',
    path: '/metrics',
    tag: 'Service',
    summary: 'What the store does, counted for Prometheus.',
    auth: 'admin',
    success: { status: 200, type: 'text/plain' },
    errors: [],
  },
  manifestSchema: {
    method: 'get',
    path: MANIFEST_SCHEMA_PATH,
    tag: 'Service',
    summary: 'The shape of a manifest, as JSON Schema for editors.',
    auth: 'none',
    success: { status: 200, type: 'application/schema+json' },
    headers: caching,
    errors: [],
  },
  codes: {
    method: 'get',
    path: '/docs/codes',
    tag: 'Service',
    summary: 'All validation codes, as a page to read.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: [],
  },
  code: {
    method: 'get',
    path: '/docs/codes/:code',
    tag: 'Service',
    summary: 'What a validation code means and how to mend it, as a page to read.',
    auth: 'none',
    params: Code,
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  checkPage: {
    method: 'get',
    path: '/check',
    tag: 'Service',
    summary: 'A page that checks a bundle in the browser, without sending it anywhere.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  webAsset: {
    method: 'get',
    path: '/assets/:file',
    tag: 'Service',
    summary: 'A script or style of a page.',
    auth: 'none',
    params: Asset,
    success: { status: 200, type: '*/*' },
    headers: caching,
    errors: ['not_found'],
  },
  docs: {
    method: 'get',
    path: '/api/docs',
    tag: 'Service',
    summary: 'This description, as a page to read.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: [],
  },
} as const satisfies Record<string, Route>;
