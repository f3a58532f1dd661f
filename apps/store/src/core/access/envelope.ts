import { ERRORS, type ErrorCode, type ErrorEnvelope } from '@svc/contracts';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type Html, icon } from '../../http/html.ts';
import { sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Brand } from '../../platform/brand.ts';
import { RateLimitError } from '../../platform/rate.ts';
import { isExhausted, UnavailableError } from '../../platform/unavailable-error.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { type Env, quotaFields } from './context.ts';

/** Headers that HTTP requires with some refusals. */
function headersOf(refusal: ApiError): Record<string, string> {
  const { code, extras } = refusal;
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  if (refusal instanceof RateLimitError) Object.assign(headers, quotaFields(refusal.quota));
  // RFC 6750 section 3: a 401 names the scheme.
  if (code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer realm="svc"';
  // RFC 9110 section 15.5.9: the server does not wait for the rest of the body.
  if (code === 'upload_too_slow') headers.Connection = 'close';
  if (extras.allow) headers.Allow = extras.allow.join(', ');
  // RFC 9110 section 14.4: the size, so that the client can request a range within it.
  if (extras.size !== undefined) headers['Content-Range'] = `bytes */${extras.size}`;
  if (extras.retryAfter !== undefined) headers['Retry-After'] = String(extras.retryAfter);
  return headers;
}

/**
 * Redirects to the sign-in page, and from there back to the requested page.
 * @param again whether the user is signed in and has to prove their identity again
 */
function redirectToSignIn(c: Context<Env>, again: boolean): Response {
  const { pathname, search } = new URL(c.req.url);
  const query = new URLSearchParams({ next: pathname + search, ...(again && { again: '' }) });
  const headers = { Location: `/sign-in?${query}` };
  return c.body(null, 303, { ...headers, 'Cache-Control': 'no-store' });
}

/** The text of a page whose address does not parse; the API lists what is wrong with it. */
const INVALID_ADDRESS = {
  title: 'Link not valid',
  message:
    'This address is incomplete or was changed. Go back to the page or the app that opened it, and try again.',
};

/** The headings of refusal pages; the message of the refusal follows. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'You are signed out',
  forbidden: 'You are not allowed to open this page',
  not_found: 'Page not found',
  email_unverified: 'Confirm your email address',
  passkey_required: 'Sign in with a passkey',
};

/** Refusals that the same request may not get again. */
const PASSING = new Set<ErrorCode>(['internal', 'rate_limited', 'unavailable']);

const YOUR_ACCOUNT = ['/account', 'Go to your account'] as const;

/** What a user can do next: one button, so that no page is a dead end. The empty address is that of the page itself. */
function nextStep(c: Context<Env>, code: ErrorCode): readonly [href: string, label: string] {
  if (code === 'unauthorized') return ['/sign-in', 'Sign in'];
  if (code === 'email_unverified') return YOUR_ACCOUNT;
  if (c.req.method === 'GET' && PASSING.has(code)) return ['', 'Retry'];
  return c.get('brand').routeNames.has('cataloguePage') ? ['/', 'Browse the store'] : YOUR_ACCOUNT;
}

/** Links on the page for an unknown URL. */
const notFoundLinks = ({ routeNames }: Brand): Html =>
  html`<p class="buttons">${routeNames.has('docsIndex') ? html`<a href="/docs">Documentation</a> ` : ''}<a href="/account">Your account</a> <a href="/sign-in">Sign in</a></p>`;

/** Answers a refusal with a page. */
function refusalPage(c: Context<Env>, refusal: ApiError): Response {
  const isAgain = refusal.code === 'reauthentication_required';
  if ((refusal.code === 'unauthorized' || isAgain) && c.req.method === 'GET')
    return redirectToSignIn(c, isAgain);
  const { code, extras } = refusal;
  const isInvalidAddress =
    code === 'invalid_request' && c.req.method === 'GET' && extras.issues !== undefined;
  const { title = TITLES[code] ?? 'The request failed', message } = isInvalidAddress
    ? INVALID_ADDRESS
    : refusal;
  const [href, label] = nextStep(c, code);
  const rule = extras.tombstone?.rule;
  const body = html`<main><section class="error-state">${icon(code === 'not_found' ? 'search-x' : 'seal-care')}
    <h1>${title}</h1>
    <p>${code === 'unauthorized' ? 'Sign in, and try again.' : shortened(message)}</p>
    <p><a class="button main" href="${href}">${label}</a></p>
    ${extras.issues?.map((issue) => html`<p class="hint">${issue.path.slice(1)} ${issue.message}</p>`) ?? ''}
    ${rule ? html`<p><a href="/policy?version=${rule.policy}#${rule.id}">The rule: ${rule.title}</a></p>` : ''}
    ${code === 'not_found' ? notFoundLinks(c.get('brand')) : ''}
    <details class="hint"><summary>Details</summary><p>If it happens again, report this request id to the operator of the store: <code>${c.get('requestId')}</code></p></details>
  </section></main>`;
  const answer = sendPage(c, { title, body, formTargets: [] }, ERRORS[code].status as ContentfulStatusCode);
  for (const [name, value] of Object.entries(headersOf(refusal))) answer.headers.set(name, value);
  return answer;
}

/** Maximum characters of a message. It may quote names and URLs of a request, which can be as long as the request. */
const MAX_MESSAGE = 600;

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1).toWellFormed()}…`;
}

/** The fields of an error of SCIM (RFC 7644 section 3.12). */
const scimError = (code: ErrorCode, detail: string) => ({
  ...{
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(ERRORS[code].status),
    detail,
  },
  ...(code === 'already_exists' && { scimType: 'uniqueness' }),
});

/** Answers a refusal with the error envelope, or with a page when the route is one. */
export function answerRefusal(c: Context<Env>, refusal: ApiError): Response {
  if (c.get('isPage')) return refusalPage(c, refusal);
  const { code, message, extras } = refusal;
  const said = shortened(message);
  const body: ErrorEnvelope = {
    code,
    message: said,
    requestId: c.get('requestId'),
    ...(c.get('hasErrorField') && { error: said }),
    ...extras,
    ...(c.get('isScim') && scimError(code, said)),
  };
  return c.json(body, ERRORS[code].status as ContentfulStatusCode, headersOf(refusal));
}

/** Creates the error handler of the store. The response to an unexpected error reveals nothing; the log has the details. */
export const onError =
  ({ log, linkIssues }: Pick<Parts, 'log' | 'linkIssues'>) =>
  (error: Error, c: Context<Env>): Response => {
    if (error instanceof RateLimitError) return answerRefusal(c, error);
    if (error instanceof ApiError) {
      const { code, message, extras, title } = error;
      return answerRefusal(c, new ApiError(code, message, linkIssues(extras), title));
    }
    if (error instanceof UnavailableError || isExhausted(error)) {
      log.error(
        { err: error, requestId: c.get('requestId') },
        'A request failed because a dependency is unavailable.',
      );
      const { retryAfter, reported = 'The store is temporarily unavailable' } =
        error instanceof UnavailableError ? error : new UnavailableError('');
      const unavailable = `${reported}: try again in ${retryAfter} seconds.`;
      return answerRefusal(c, new ApiError('unavailable', unavailable, { retryAfter }));
    }
    log.error({ err: error, requestId: c.get('requestId') }, 'A request failed unexpectedly.');
    const internal = 'Something went wrong on our side. If it happens again, report the request id.';
    return answerRefusal(c, new ApiError('internal', internal));
  };
