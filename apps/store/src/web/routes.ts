import type { Context } from 'hono';
import type { RouteHandler } from '../http/bind-route.ts';
import type { Env } from '../http/context.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import { Refusal } from '../platform/refusal.ts';
import type { WebFile, WebFiles } from './read-web-files.ts';

const PAGE_SECONDS = 300;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Nothing inline, nothing from elsewhere, and no address to send anything to: a page that opens bundles of strangers must
 * not be able to tell anybody what is in them. The thread it opens them in gets its policy from its own script's answer.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

function send(c: Context<Env>, file: WebFile | undefined, cache: string): Response {
  if (!file) {
    throw new Refusal('not_found', 'There is no such page here, or the pages of this store were not built.');
  }
  const headers = { 'Content-Type': file.type, 'Cache-Control': cache, ETag: file.etag, ...SAFE_HEADERS };
  return sendCacheable(c, file.body, headers);
}

/** The pages that `apps/web` is built into. Scripts and styles carry their hash in their name and never change. */
export const webRoutes = ({ webFiles }: { webFiles: WebFiles }) => ({
  checkPage: ((c) =>
    send(c, webFiles.get('check.html'), publicFor(PAGE_SECONDS))) satisfies RouteHandler<'checkPage'>,
  webAsset: ((c, { params }) =>
    send(
      c,
      webFiles.get(`assets/${params.file}`),
      `${publicFor(YEAR_SECONDS)}, immutable`,
    )) satisfies RouteHandler<'webAsset'>,
});
