import type { Context } from 'hono';
import type { RouteHandler } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { type EncodedPage, encodePage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { safeHeaders } from '../http/safe-headers.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import { ApiError } from '../platform/api-error.ts';
import type { WebFiles } from './read-web-files.ts';

const PAGE_SECONDS = 300;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Nothing inline, nothing from elsewhere, and no address to send anything to: a page that opens bundles of strangers must
 * not be able to tell anybody what is in them. The thread it opens them in gets its policy from its own script's answer.
 */
const ALONE = ["worker-src 'self'", "form-action 'none'"];

/** A page that acts for the person who is signed in talks to the store alone; bundles it opens in a thread. */
const WITH_STORE = ["connect-src 'self'", "worker-src 'self'", "form-action 'self'"];

const SAFE_HEADERS = safeHeaders(ALONE, 'no-referrer');
/** With no-referrer its form would be sent with "Origin: null" (Fetch standard), and forms are held to theirs. */
const PERSONAL_HEADERS = safeHeaders(WITH_STORE, 'same-origin');

/** Which file answers, for how long that may be kept, and what the page may do. */
type Served = { file: string; cache: string; safe?: Record<string, string> };

/** Sends built files in the form that each browser wants; every form is made once. */
function sender(webFiles: WebFiles) {
  const forms = new Map<string, EncodedPage>();
  return async (c: Context<Env>, { file, cache, safe = SAFE_HEADERS }: Served): Promise<Response> => {
    const content = webFiles.get(file);
    if (!content) {
      throw new ApiError(
        'not_found',
        'There is no such page here, or the pages of this store were not built.',
      );
    }
    const headers = { 'Content-Type': content.type, 'Cache-Control': cache, ...safe };
    const form = forms.get(file) ?? encodePage(content.body, headers);
    forms.set(file, form);
    const page = await form.in(encodingFor(c.req.header('accept-encoding')));
    return sendCacheable(c, page.body, page.headers);
  };
}

/** The page itself says nothing of anybody: what it shows it asks for. */
const personal = (file: string): Served => ({ file, cache: 'private, no-cache', safe: PERSONAL_HEADERS });

/** The pages that `apps/web` is built into. Scripts and styles carry their hash in their name and never change. */
export function webRoutes({ webFiles }: { webFiles: WebFiles }) {
  const send = sender(webFiles);
  const page = (served: Served) => (c: Context<Env>) => send(c, served);
  return {
    checkPage: page({ file: 'check.html', cache: publicFor(PAGE_SECONDS) }),
    accountPage: page(personal('account.html')),
    accountSubpage: page(personal('account.html')),
    moderationPage: page(personal('moderation.html')),
    moderationSubpage: page(personal('moderation.html')),
    adminPage: page(personal('admin.html')),
    adminSubpage: page(personal('admin.html')),
    webAsset: ((c, { params }) =>
      send(c, {
        file: `assets/${params.file}`,
        cache: `${publicFor(YEAR_SECONDS)}, immutable`,
      })) satisfies RouteHandler<'webAsset'>,
  };
}
