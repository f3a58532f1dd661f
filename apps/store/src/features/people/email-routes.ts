import type { RouteHandler } from '../../access/bind-route.ts';
import { csrfTokenFor } from '../../access/csrf.ts';
import { personOf, setSessionCookie, visitOf } from '../../access/signed-in.ts';
import { sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import { changeAddress, readAddressLink, requestAddress } from './change-address.ts';
import { confirmEmail, readConfirmLink, sendConfirmation } from './confirm-email.ts';
import {
  addressChangedPage,
  addressPage,
  confirmedPage,
  confirmPage,
  forgottenPage,
  forgottenSentPage,
} from './email-page.ts';
import { sendResetLink } from './forgotten.ts';
import { requireOwnWays } from './provider-access.ts';
import type { PeopleRouteDeps } from './sign-in-routes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

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

/** Resetting a password, and confirming and changing an email address by mail. */
export const emailRoutes = (deps: PeopleRouteDeps) => ({
  forgottenPage: ((c) => {
    requireOwnWays(deps.providers);
    requireMail(deps);
    return sendPage(c, forgottenPage(csrfTokenFor(deps, c)));
  }) satisfies RouteHandler<'forgottenPage'>,
  forgotten: (async (c, { form }) => {
    requireOwnWays(deps.providers);
    requireMail(deps);
    await sendResetLink(deps, form.email, await visitOf(deps, c), deps.cookies.get(c, 'browser'));
    return sendPage(c, forgottenSentPage);
  }) satisfies RouteHandler<'forgotten'>,
  confirmPage: (async (c, { query: { key } }) => {
    const person = await readConfirmLink(deps, deps, personOf(c), key);
    return sendPage(c, confirmPage(csrfTokenFor(deps, c), key, person));
  }) satisfies RouteHandler<'confirmPage'>,
  confirm: (async (c, { form }) =>
    sendPage(
      c,
      confirmedPage(await confirmEmail(deps, personOf(c), form.key)),
    )) satisfies RouteHandler<'confirm'>,
  requestAddress: (async (c, { body }) => {
    requireMail(deps);
    return c.json({ sentTo: await requestAddress(deps, personOf(c), body.email) }, 200, NO_STORE);
  }) satisfies RouteHandler<'requestAddress'>,
  addressPage: (async (c, { query: { key } }) => {
    const link = await readAddressLink(deps, deps, personOf(c), key);
    return sendPage(c, addressPage(csrfTokenFor(deps, c), key, link));
  }) satisfies RouteHandler<'addressPage'>,
  changeAddress: (async (c, { form }) => {
    const { secret, email } = await changeAddress(deps, personOf(c), form.key, await visitOf(deps, c));
    setSessionCookie(deps, c, secret);
    return sendPage(c, addressChangedPage(email));
  }) satisfies RouteHandler<'changeAddress'>,
  sendConfirmation: (async (c) => {
    requireMail(deps);
    return c.json({ sentTo: await sendConfirmation(deps, personOf(c)) }, 200, NO_STORE);
  }) satisfies RouteHandler<'sendConfirmation'>,
});
