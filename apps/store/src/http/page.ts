import { createHash } from 'node:crypto';
import { visible } from '@svc/text';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Markup made with the template tag of hono, which escapes whatever is put into it. */
export type Html = ReturnType<typeof html>;

/** A page for people. */
export type Page = {
  title: string;
  body: Html;
  /** Address of the one script it needs, on the store itself. */
  script?: string;
  /** Origins, beside the store, to which a form of it leads in the end. Browsers hold redirects against the policy too. */
  formTargets?: readonly string[];
};

/**
 * The frame of a page. Whatever it holds of others, nothing in it hides or turns the reading direction.
 * @param style the one style sheet, allowed by its hash in the content security policy
 */
export const framed = ({ title, body, script }: Page, style: string): string =>
  visible(
    String(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <style>${raw(style)}</style>
    ${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
  </head>
  <body>${body}</body>
</html>`),
  );

/** The headers that keep a page to what it is. */
export function pageHeaders(
  { script, formTargets }: Pick<Page, 'script' | 'formTargets'>,
  style: string,
): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `form-action ${formTargets === undefined ? "'none'" : ["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // With no-referrer a browser would send forms with "Origin: null" (Fetch standard), and forms are held to theirs.
    'Referrer-Policy': formTargets === undefined ? 'no-referrer' : 'same-origin',
  };
}

/** The style of the pages on which people sign in and approve: one column of cards, readable on a phone. */
const STYLE = `
:root { color-scheme: light dark; --text: #1c2330; --soft: #545e70; --line: #d8dee8; --back: #f5f7fa; --card: #ffffff; --link: #0b57b0; --on: #ffffff; --bad: #b3261e; --good: #146c2e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaf1; --soft: #a5afbf; --line: #323b4a; --back: #12161d; --card: #1a202a; --link: #8ab8ff; --on: #12161d; --bad: #ffb4a9; --good: #7bd88f; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 30rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
code { font: .9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
main > section, main > form { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin: .9rem 0 .25rem; }
label.choice { display: flex; gap: .5rem; align-items: baseline; font-weight: 400; margin: .35rem 0; }
fieldset { border: 0; margin: .9rem 0 0; padding: 0; }
legend { font-weight: 600; padding: 0; }
input:not([type=checkbox], [type=radio]), select, button, .button { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; border-radius: .5rem; border: 1px solid var(--line); background: var(--back); color: var(--text); }
button, .button { display: block; text-align: center; text-decoration: none; margin: 1rem 0 0; font-weight: 600; cursor: pointer; }
button.main { background: var(--link); color: var(--on); border-color: var(--link); }
button.bad { color: var(--bad); border-color: var(--bad); background: transparent; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: .75rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; }
.hint { color: var(--soft); font-size: .92rem; }
.fault { color: var(--bad); font-weight: 600; }
.done { color: var(--good); font-weight: 600; }
.code { font: 700 1.6rem/1.3 ui-monospace, monospace; letter-spacing: .1em; text-align: center; }
input.code { text-transform: uppercase; }
[hidden] { display: none; }
:focus-visible { outline: .15rem solid var(--link); outline-offset: .15rem; }
`;

/**
 * Answers with a page. It is for one person at one time, so nothing keeps it.
 * @param status 200 when left out
 */
export function sendPage(c: Context, page: Page, status: ContentfulStatusCode = 200): Response {
  const headers = { 'Cache-Control': 'no-store', ...pageHeaders(page, STYLE) };
  return c.html(framed(page, STYLE), status, headers);
}
