import { ERRORS, type ErrorEnvelope } from '@svc/contracts';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { LinkIssues } from '../docs/link-issues.ts';
import type { Log } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import { Unavailable } from '../platform/unavailable.ts';
import type { Env } from './context.ts';

/** Headers that HTTP asks for beside some refusals. */
function headersOf({ code, extras }: Refusal): Record<string, string> {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  // RFC 6750 section 3: a 401 names the scheme.
  if (code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer realm="svc"';
  if (extras.allow) headers.Allow = extras.allow.join(', ');
  if (extras.retryAfter !== undefined) headers['Retry-After'] = String(extras.retryAfter);
  return headers;
}

/** Answers a refusal in the one form that every error has. */
export function answerRefusal(c: Context<Env>, refusal: Refusal): Response {
  const { code, message, extras } = refusal;
  const body: ErrorEnvelope = { code, message, requestId: c.get('requestId'), ...extras };
  return c.json(body, ERRORS[code].status as ContentfulStatusCode, headersOf(refusal));
}

/** The one place where an error becomes an answer. What was not expected says nothing outside and all in the log. */
export const onError =
  ({ log, linkIssues }: { log: Log; linkIssues: LinkIssues }) =>
  (error: Error, c: Context<Env>): Response => {
    if (error instanceof Refusal) {
      const { code, message, extras } = error;
      return answerRefusal(c, new Refusal(code, message, linkIssues(extras)));
    }
    if (error instanceof Unavailable) {
      log.error(
        { err: error, requestId: c.get('requestId') },
        'A request failed for want of something outside.',
      );
      const { retryAfter } = error;
      const later = `The store cannot do this just now: try again in ${retryAfter} seconds.`;
      return answerRefusal(c, new Refusal('unavailable', later, { retryAfter }));
    }
    log.error({ err: error, requestId: c.get('requestId') }, 'A request failed unexpectedly.');
    const sorry = 'Something went wrong on our side. If it happens again, report the request id.';
    return answerRefusal(c, new Refusal('internal', sorry));
  };
