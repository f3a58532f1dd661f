import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { consentPage, errorPage, signInPage } from './pages.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Maximum size of a form, in bytes. */
const MAX_FORM = 4_096;

/** A name: one to forty letters, digits, spaces and `. _ -`, beginning with a letter or a digit. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,39}$/u;

/** The id of a board: the name without differences in spelling. */
const accountOf = (name: string): string => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

/** The form of a request; null when it is too large or not a form. */
async function formOf(request: IncomingMessage): Promise<URLSearchParams | null> {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!isForm || !(length <= MAX_FORM)) return null;
  return new URLSearchParams(await text(request));
}

/** The redirect target for `form-action`: Chromium checks redirects after a form against it too. */
const redirectOrigin = ({ params }: Interaction): string =>
  URL.parse(String(params.redirect_uri))?.origin ?? '';

function show(response: ServerResponse, status: number, html: string, formAction = "'none'"): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
}

/** Grants the requested scopes: those of OpenID Connect, and those of the resource. */
async function grantAsked(provider: Provider, interaction: Interaction): Promise<string> {
  const { params, session, grantId } = interaction;
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const accountId = session?.accountId ?? '';
  const grant = found ?? new provider.Grant({ accountId, clientId: String(params.client_id) });
  const scope = String(params.scope ?? '');
  grant.addOIDCScope(scope);
  if (typeof params.resource === 'string') grant.addResourceScope(params.resource, scope);
  return grant.save();
}

/**
 * The pages of a sign-in: the name, and the consent. Each form contains a CSRF token (`seal`) that is derived from the
 * sign-in, and only shown to the browser with the cookie of that sign-in; so no other page can send the form.
 * @param key the key of the CSRF tokens
 */
export function createInteractions(provider: Provider, key: string) {
  const sealOf = ({ uid, prompt }: Interaction): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([uid, prompt.name]))
      .digest('hex');

  const isSealed = (interaction: Interaction, form: URLSearchParams): boolean => {
    const [given, wanted] = [form.get('seal') ?? '', sealOf(interaction)].map((seal) => Buffer.from(seal));
    return given !== undefined && wanted?.length === given.length && timingSafeEqual(given, wanted);
  };

  async function showPage(response: ServerResponse, interaction: Interaction, problem?: string) {
    const { uid, prompt, params, session } = interaction;
    const to = { action: `/interaction/${uid}`, seal: sealOf(interaction) };
    const formAction = `'self' ${redirectOrigin(interaction)}`;
    const status = problem === undefined ? 200 : 400;
    if (prompt.name === 'login') return show(response, status, signInPage(to, problem), formAction);
    const client = await provider.Client.find(String(params.client_id));
    const shown = {
      client: client?.clientName ?? 'A client without a name',
      host: URL.parse(String(params.redirect_uri))?.host ?? '',
      person: session?.accountId ?? '',
    };
    return show(response, status, consentPage(to, shown), formAction);
  }

  /** The answer of the user; null when the page must be shown again. */
  async function resultOf(
    interaction: Interaction,
    form: URLSearchParams,
  ): Promise<InteractionResults | null> {
    if (interaction.prompt.name === 'login') {
      const accountId = accountOf(form.get('name') ?? '');
      return NAME.test(accountId) ? { login: { accountId } } : null;
    }
    const answer = form.get('answer');
    if (answer === 'allow') return { consent: { grantId: await grantAsked(provider, interaction) } };
    if (answer !== 'deny') return null;
    return { error: 'access_denied', error_description: 'The user denied access.' };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Throws for a browser without the cookie of this sign-in.
    const interaction = await provider.interactionDetails(request, response);
    if (request.url !== `/interaction/${interaction.uid}`) {
      return show(response, 400, errorPage('Another sign-in was started in this browser.'));
    }
    if (request.method === 'GET') return showPage(response, interaction);
    const form = await formOf(request);
    if (!form || !isSealed(interaction, form)) {
      return show(response, 403, errorPage('This form was not shown by this server.'));
    }
    const result = await resultOf(interaction, form);
    if (!result)
      return showPage(response, interaction, 'A name has letters, digits, spaces, dots and dashes.');
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'POST') {
      return show(response, 405, errorPage('Method not allowed.'));
    }
    try {
      await answer(request, response);
    } catch (error) {
      if ((error as Error).name !== 'SessionNotFound') throw error;
      show(response, 400, errorPage('This sign-in has expired, or was started in another browser.'));
    }
  };
}
