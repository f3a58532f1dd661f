import { ERRORS, type ErrorCode } from '@svc/contracts';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ApiError } from '../platform/api-error.ts';
import { type Page, sendPage } from './page.ts';

/** Handles a form. For errors with one of these codes the form is shown again, with the message. */
export async function orShowAgain(
  c: Context,
  codes: readonly ErrorCode[],
  work: () => Promise<Response>,
  formWith: (error: string) => Page,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !codes.includes(error.code)) throw error;
    return sendPage(c, formWith(error.message), ERRORS[error.code].status as ContentfulStatusCode);
  }
}
