import { ERRORS, type ErrorCode } from '@svc/contracts';
import { visible } from '@svc/text';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ApiError } from '../platform/api-error.ts';
import type { Brand } from '../platform/brand.ts';
import type { Html } from './html.ts';
import {
  assetTags,
  breadcrumbs,
  type Crumb,
  type ShellSearch,
  shellFooter,
  shellHeader,
  styleTags,
  titleOf,
} from './shell.ts';

/**
 * The security headers of a page: nothing inline, nothing from other origins, and no framing.
 * @param policy further directives of its content security policy
 * @param referrer the Referrer-Policy
 * @param scripts whether scripts of the store run; not when the URL of the page contains a secret
 */
export const safeHeaders = (
  policy: readonly string[],
  referrer: string,
  scripts: 'scripts' | 'no-scripts' = 'scripts',
): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    ...(scripts === 'scripts' ? ["script-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ...policy,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': referrer,
});

/** Why a form is shown again: the message, and the field that it is about, if it is about one. */
export type FormFault = { message: string; field: string | undefined };

/** Handles a form. For errors with one of these codes the form is shown again, with the message. */
export async function orShowAgain(
  c: Context,
  codes: readonly ErrorCode[],
  work: () => Promise<Response>,
  formWith: (fault: FormFault) => Page,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !codes.includes(error.code)) throw error;
    const fault = { message: error.message, field: error.extras.issues?.[0]?.path.slice(1) };
    return sendPage(c, formWith(fault), ERRORS[error.code].status as ContentfulStatusCode);
  }
}

/** An HTML page. */
export type Page = {
  title: string;
  body: Html;
  /** Where the page is, after the front page; a text has them beside its body. */
  crumbs?: readonly Crumb[];
  /** Whether a text has tables that need the width of the page. */
  isWide?: boolean;
  /** Path of the script of the page, on the store; it runs in addition to that of the header. */
  script?: string;
  /** Origins besides the store to which a form of the page leads. Browsers apply the policy to redirects too. */
  formTargets?: readonly string[];
  /** Whether it runs no script, not even that of the header. */
  isScriptless?: boolean;
  /** Whether it is a text to read, wider than a form. */
  isText?: boolean;
  /** What its header searches, if not the apps. */
  search?: ShellSearch;
};

/** The layout of a page: that of a form, of a text, or of the documentation. */
export type Layout = 'form' | 'text' | 'docs';

/**
 * The referrer policy of a form on a page whose URL contains a secret: browsers send the origin with it, which is checked, and never
 * the URL. It replaces that of the header, with which they would send `Origin: null` (Fetch standard, "append a request Origin header").
 */
const FORM_REFERRER = html`<meta name="referrer" content="strict-origin">`;

/** The content of a page under its breadcrumbs. */
function withCrumbs({ body, crumbs, isWide = false }: Page, layout: Layout, brand: Brand): Html {
  if (crumbs === undefined) return body;
  const content = html`${breadcrumbs(crumbs, brand.routeNames.has('cataloguePage'))}${body}`;
  return layout === 'form' ? content : html`<div class="prose${isWide ? ' wide' : ''}">${content}</div>`;
}

/** Renders a page with its frame. Hidden and direction characters in untrusted text are made visible. */
export function framed(page: Page, layout: Layout, brand: Brand): string {
  const { title, script, formTargets, isScriptless = false, search } = page;
  return visible(
    String(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    ${isScriptless && formTargets !== undefined ? FORM_REFERRER : ''}
    <title>${titleOf(title, brand)}</title>
    ${isScriptless ? styleTags(brand) : assetTags(brand)}
    ${script === undefined || isScriptless ? '' : html`<script type="module" src="${script}"></script>`}
  </head>
  <body>
    ${shellHeader({ ...(layout === 'docs' && { here: 'docs' }), search: search ?? formTargets !== undefined }, brand)}
    <div class="page ${layout === 'text' ? 'docs' : layout}" id="content">${withCrumbs(page, layout, brand)}</div>
    ${shellFooter(brand)}
  </body>
</html>`),
  );
}

/** The security headers of a page: nothing inline, and nothing from other origins. */
export function pageHeaders({
  formTargets,
  isScriptless = false,
}: Pick<Page, 'formTargets' | 'isScriptless'>): Record<string, string> {
  const formAction = `form-action ${formTargets === undefined ? "'none'" : ["'self'", ...formTargets].join(' ')}`;
  if (isScriptless) return safeHeaders([formAction], 'no-referrer', 'no-scripts');
  // With no-referrer a browser would send forms with "Origin: null" (Fetch standard), and the origin of forms is checked.
  const referrer = formTargets === undefined ? 'no-referrer' : 'same-origin';
  return safeHeaders(["connect-src 'self'", formAction], referrer);
}

/**
 * Sends a page. It is for one user, so it is never cached. It runs no script when the URL of its route contains a secret
 * (`secretAddress`).
 * @param status 200 when omitted
 */
export function sendPage(c: Context, content: Page, status: ContentfulStatusCode = 200): Response {
  const page: Page = { ...content, isScriptless: c.get('hasSecretAddress') === true };
  const headers = { 'Cache-Control': 'no-store', ...pageHeaders(page) };
  return c.html(framed(page, page.isText ? 'text' : 'form', c.get('brand')), status, headers);
}
