import type { Handlers } from '../../access/bind-route.ts';
import { csrfTokenFor } from '../../access/csrf.ts';
import { setSessionCookie, visitOf } from '../../access/signed-in.ts';
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
export const emailRoutes = (deps: PeopleRouteDeps) =>
  ({
    forgottenPage: (_request, c) => {
      requireOwnWays(deps.providers);
      requireMail(deps);
      return sendPage(c, forgottenPage(csrfTokenFor(deps, c)));
    },
    forgotten: async ({ form }, c) => {
      requireOwnWays(deps.providers);
      requireMail(deps);
      await sendResetLink(deps, form.email, await visitOf(deps, c), deps.cookies.get(c, 'browser'));
      return sendPage(c, forgottenSentPage);
    },
    confirmPage: async ({ caller, query: { key } }, c) => {
      const person = await readConfirmLink(deps, deps, caller, key);
      return sendPage(c, confirmPage(csrfTokenFor(deps, c), key, person));
    },
    confirm: async ({ caller, form }, c) =>
      sendPage(c, confirmedPage(await confirmEmail(deps, caller, form.key))),
    requestAddress: async ({ caller, body }) => {
      requireMail(deps);
      return { sentTo: await requestAddress(deps, caller, body.email) };
    },
    addressPage: async ({ caller, query: { key } }, c) => {
      const link = await readAddressLink(deps, deps, caller, key);
      return sendPage(c, addressPage(csrfTokenFor(deps, c), key, link));
    },
    changeAddress: async ({ caller, form }, c) => {
      const { secret, email } = await changeAddress(deps, caller, form.key, await visitOf(deps, c));
      setSessionCookie(deps, c, secret);
      return sendPage(c, addressChangedPage(email));
    },
    sendConfirmation: async ({ caller }) => {
      requireMail(deps);
      return { sentTo: await sendConfirmation(deps, caller) };
    },
  }) satisfies Handlers;
