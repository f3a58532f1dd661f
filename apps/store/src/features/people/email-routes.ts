import type { RouteHandler } from '../../access/bind-route.ts';
import { csrfTokenFor } from '../../access/csrf.ts';
import { personOf, visitOf } from '../../access/signed-in.ts';
import { sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import { confirmEmail, readConfirmLink, sendConfirmation } from './confirm-email.ts';
import { confirmedPage, confirmPage, forgottenPage, forgottenSentPage } from './email-page.ts';
import { sendResetLink } from './forgotten.ts';
import type { PeopleRouteDeps } from './sign-in-routes.ts';

/** Without a mail server the link would only be in the log, where others read it. */
function requireMail({ sendsMail }: Pick<PeopleRouteDeps, 'sendsMail'>): void {
  if (sendsMail) return;
  throw new ApiError(
    'not_found',
    'This store sends no mail: ask its operator for a link to set a new password.',
    {},
    'Password reset by mail is not available',
  );
}

/** Resetting a password and confirming an email address by mail. */
export const emailRoutes = (deps: PeopleRouteDeps) => ({
  forgottenPage: ((c) => {
    requireMail(deps);
    return sendPage(c, forgottenPage(csrfTokenFor(deps, c)));
  }) satisfies RouteHandler<'forgottenPage'>,
  forgotten: (async (c, { form }) => {
    requireMail(deps);
    await sendResetLink(deps, form.email, await visitOf(deps, c), deps.cookies.get(c, 'browser'));
    return sendPage(c, forgottenSentPage);
  }) satisfies RouteHandler<'forgotten'>,
  confirmPage: (async (c, { query: { key } }) => {
    const { email } = await readConfirmLink(deps, deps, key);
    return sendPage(c, confirmPage(csrfTokenFor(deps, c), key, email));
  }) satisfies RouteHandler<'confirmPage'>,
  confirm: (async (c, { form }) =>
    sendPage(
      c,
      confirmedPage(await confirmEmail(deps, form.key, await visitOf(deps, c))),
    )) satisfies RouteHandler<'confirm'>,
  sendConfirmation: (async (c) => {
    requireMail(deps);
    return c.json({ sentTo: await sendConfirmation(deps, personOf(c)) }, 200, {
      'Cache-Control': 'no-store',
    });
  }) satisfies RouteHandler<'sendConfirmation'>,
});
