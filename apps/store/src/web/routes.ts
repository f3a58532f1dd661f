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
const ALONE = ["worker-src 'self'", "form-action 'none'"];

/** A page that acts for whoever is signed in talks to the store, and to nobody else. */
const WITH_STORE = ["connect-src 'self'", "form-action 'self'"];

const headersWith = (policy: readonly string[], referrer: string) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    ...policy,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': referrer,
});

const SAFE_HEADERS = headersWith(ALONE, 'no-referrer');
/** With no-referrer its form would be sent with "Origin: null" (Fetch standard), and forms are held to theirs. */
const ACCOUNT_HEADERS = headersWith(WITH_STORE, 'same-origin');

function send(c: Context<Env>, file: WebFile | undefined, cache: string, safe = SAFE_HEADERS): Response {
  if (!file) {
    throw new Refusal('not_found', 'There is no such page here, or the pages of this store were not built.');
  }
  const headers = { 'Content-Type': file.type, 'Cache-Control': cache, ETag: file.etag, ...safe };
  return sendCacheable(c, file.body, headers);
}

/** The page itself says nothing of anybody: what it shows it asks for. */
const account =
  (webFiles: WebFiles): Fixed =>
  (c) =>
    send(c, webFiles.get('account.html'), 'private, no-cache', ACCOUNT_HEADERS);

type Fixed = (c: Context<Env>) => Response;

/** The pages that `apps/web` is built into. Scripts and styles carry their hash in their name and never change. */
export const webRoutes = ({ webFiles }: { webFiles: WebFiles }) => ({
  checkPage: ((c) =>
    send(c, webFiles.get('check.html'), publicFor(PAGE_SECONDS))) satisfies RouteHandler<'checkPage'>,
  accountPage: account(webFiles),
  accountSubpage: account(webFiles),
  webAsset: ((c, { params }) =>
    send(
      c,
      webFiles.get(`assets/${params.file}`),
      `${publicFor(YEAR_SECONDS)}, immutable`,
    )) satisfies RouteHandler<'webAsset'>,
});
