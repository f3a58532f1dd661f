import { ERRORS } from '@svc/contracts';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { csrfField, hiddenField } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { FormFields } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../access/csrf.ts';
import type { PersonCaller } from '../domain/identity/caller.ts';
import { errorLine, passwordField, providerLinks } from './form-page.ts';
import type { PeopleParts } from './people-parts.ts';
import { provePassword } from './ways.ts';

type ProofPage = {
  csrf: string;
  /** The address of the form, and its fields, which the page sends again. */
  action: string;
  fields: FormFields;
  hasPassword: boolean;
  hasPasskey: boolean;
  providers: readonly { id: string; label: string }[];
  script: string | undefined;
  error: string;
};

/** Ways to sign in again in another tab, while this page keeps what was entered. */
const inAnotherTab = ({ providers }: ProofPage): Html =>
  html`<p>Sign in again in a new tab, and continue here.</p>
    <p>${providerLinks(providers, '/account', 'new tab')}</p>`;

function proofPage(page: ProofPage): Page {
  const { csrf, action, fields, hasPassword, hasPasskey, providers, script, error } = page;
  const body = html`<main data-csrf="${csrf}">
    <h1>Confirm that it is you</h1>
    <p>This change needs a proof that is at most ten minutes old. What you entered is kept, and the change is made afterwards.</p>
    <form method="post" action="${action}" data-proof>
      ${errorLine(error)}
      ${csrfField(csrf)}${Object.entries(fields).map(([name, value]) => hiddenField(name, value))}
      ${hasPasskey ? html`<div data-passkey hidden><button class="main" type="button">Use a passkey</button></div>` : ''}
      ${hasPassword ? passwordField('', 'proof') : ''}
      ${providers.length > 0 ? inAnotherTab(page) : ''}
      ${hasPassword || providers.length > 0 ? html`<button class="main">Continue</button>` : ''}
    </form>
  </main>`;
  return { title: 'Confirm that it is you', body, formTargets: [], ...(script && { script }) };
}

/**
 * Creates what takes the proof of identity in a form: its field `proof` is the password of the user. Without it, or with a wrong one, the
 * answer is a page that asks for it and holds all fields of the form, so that nothing of it is lost.
 */
export const createProofInForm =
  (deps: PeopleParts & CsrfDeps) =>
  async (
    c: Context<Env>,
    caller: PersonCaller,
    { proof: password, ...fields }: FormFields,
  ): Promise<FormFields | Response> => {
    let error = '';
    try {
      if (password) {
        await provePassword(deps, caller, password);
        return fields;
      }
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) throw refusal;
      error = refusal.message;
    }
    const { id } = caller.person;
    const linked = new Set((await deps.identities.of(id)).map(({ issuer }) => issuer));
    const { pathname, search } = new URL(c.req.url);
    const page = proofPage({
      ...{ csrf: csrfTokenFor(deps, c), action: pathname + search, fields, error },
      hasPassword: (await deps.passwords.find(id)) !== null,
      hasPasskey: (await deps.passkeys.of(id)).length > 0,
      providers: [...deps.providers.values()].filter(({ issuer }) => linked.has(issuer)),
      script: deps.staticAddresses.get('sign-in.js'),
    });
    return sendPage(c, page, ERRORS.reauthentication_required.status);
  };
