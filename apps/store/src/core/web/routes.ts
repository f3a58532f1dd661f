import type { Context } from 'hono';
import { type EncodedPage, encodePage, encodingFor } from '../../http/encoded-page.ts';
import { safeHeaders } from '../../http/page.ts';
import { FOR_EVER, publicFor, sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Handlers } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import type { BrandBook } from '../domain/brand/brand.ts';
import type { WebFile, WebFiles } from './read-web-files.ts';

const PAGE_SECONDS = 300;

/**
 * Nothing inline, nothing from other hosts, and no requests: a page that opens untrusted bundles must not be able to send their content
 * anywhere. The worker in which it opens them gets its policy from the response of its script.
 */
const ALONE = ["worker-src 'self'", "form-action 'none'"];

/**
 * The pages of a signed-in user are one application: it sends requests only to the store, opens bundles in a worker, and shows panels of
 * apps under review in frames, which have the sandbox of their responses too.
 */
const WITH_STORE = ["connect-src 'self'", "worker-src 'self'", "form-action 'self'", "frame-src 'self'"];

const SAFE_HEADERS = safeHeaders(ALONE, 'no-referrer');
/** With no-referrer, forms would be sent with "Origin: null" (Fetch standard), and the CSRF check would refuse them. */
const PERSONAL_HEADERS = safeHeaders(WITH_STORE, 'same-origin');

/** The file of a route, its cache policy, and its security headers. */
type Served = { file: string; cache: string; safe?: Record<string, string> };

/** A file of the brand, whose name has the hash of its content. */
const BRAND_FILE = /^assets\/(?:logo|accent)-[0-9a-f]{12}\.[a-z]{3,4}$/;

type WebDeps = {
  /** The files that the pages name now. */ webFiles(): WebFiles;
  brandBook: Pick<BrandBook, 'refresh'>;
};

/** Sends built files in the encoding that a browser prefers. Each encoding is made once. */
function sender({ webFiles, brandBook }: WebDeps) {
  const forms = new WeakMap<WebFile, EncodedPage>();
  return async (c: Context<Env>, { file, cache, safe = SAFE_HEADERS }: Served): Promise<Response> => {
    // A page of another process may name a logo that this one does not know yet.
    if (BRAND_FILE.test(file) && !webFiles().has(file)) await brandBook.refresh();
    const content = webFiles().get(file);
    if (!content) {
      throw new ApiError('not_found', 'There is no such page, or the pages of this store were not built.');
    }
    const headers = { 'Content-Type': content.type, 'Cache-Control': cache, ...safe };
    const form = forms.get(content) ?? encodePage(content.body, headers, 'file');
    forms.set(content, form);
    const page = await form.in(encodingFor(c.req.header('accept-encoding')));
    return sendCacheable(c, page.body, page.headers);
  };
}

/** The pages of an area of a signed-in user. The file contains no personal data, which the page requests. */
const personal = (file: string): Served => ({ file, cache: 'private, no-cache', safe: PERSONAL_HEADERS });

/** The pages built from `apps/web`. Scripts and styles have a hash in their name and never change. */
export function webRoutes(deps: WebDeps) {
  const send = sender(deps);
  const page = (served: Served) => (_request: unknown, c: Context<Env>) => send(c, served);
  const account = page(personal('account.html'));
  const moderation = page(personal('moderation.html'));
  const admin = page(personal('admin.html'));
  return {
    checkPage: page({ file: 'check.html', cache: publicFor(PAGE_SECONDS) }),
    accountPage: account,
    accountSubpage: account,
    moderationPage: moderation,
    moderationSubpage: moderation,
    adminPage: admin,
    adminSubpage: admin,
    webAsset: ({ params }, c) =>
      send(c, {
        file: `assets/${params.file}`,
        cache: FOR_EVER,
      }),
  } satisfies Handlers;
}
