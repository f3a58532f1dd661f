import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, type ConnectCard, type RuntimeAccounts, RuntimeError, type System } from '@svc/runtime';
import { orAborted } from '@svc/runtime/parts';
import { visible } from '@svc/text';

/** Most links at the same time. The oldest is dropped first. */
const MAX_LINKS = 32;

/** A page of the desktop for one waiting Connect card. */
export type ConnectLink = {
  id: string;
  url: string;
  /** The user's answer on the page. */
  answer(signal: AbortSignal): Promise<Answer>;
  /** Closes the link, unless the user agreed: the page can then reopen the sign-in until it ends. */
  close(): void;
};

/** Controls a sign-in in progress. */
export type SignInControl = Pick<RuntimeAccounts, 'reopen' | 'cancel' | 'digits'>;

/** A card, and whether the user agreed, which starts the sign-in. */
type Link = { card: ConnectCard; isAgreed: boolean; answered(answer: Answer): void };

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const pageOf = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8">${head}<title>${title}</title><main><h1>${title}</h1>${body}</main></html>`;

/** Notes about outages, a changed server and a sign-in in progress. */
const noteOf = ({ outage, tokenHost, formerHost, isUnderWay }: ConnectCard): string =>
  [
    tokenHost === undefined ? '' : `Another site issues the access tokens: ${escaped(tokenHost)}.`,
    outage === undefined ? '' : `The access token could not be renewed: ${escaped(outage)}`,
    typeof formerHost === 'string'
      ? `The authorization server has changed: it was ${escaped(formerHost)}.`
      : '',
    isUnderWay ? 'A sign-in is in progress. Connect reopens its page.' : '',
  ]
    .filter((text) => text !== '')
    .map((text) => `<p>${text}</p>`)
    .join('');

const listOf = (texts: readonly string[]): string =>
  `<ul>${texts.map((text) => `<li>${escaped(visible(text))}</li>`).join('')}</ul>`;

/** Publisher, scopes, and the app's own text about permissions, marked as such. */
const requestOf = ({ app, account, permissions }: ConnectCard): string =>
  [
    `<p>Publisher: ${app.publisher === null ? 'none' : escaped(visible(app.publisher))}. App: ${escaped(app.appId)} ${escaped(app.version)}.</p>`,
    account.scopes.length > 0 ? `<h2>Requested scopes</h2>${listOf(account.scopes)}` : '',
    permissions.length > 0
      ? `<h2>Permissions</h2><p>In the words of the app. svc does not check them.</p><blockquote>${listOf(permissions)}</blockquote>`
      : '',
  ].join('');

const askPage = (card: ConnectCard): string => {
  const { app, account, host, outage } = card;
  return pageOf(
    'Connect an account',
    `<p>${escaped(app.name)} (${escaped(app.appId)}) wants to use your account ${escaped(account.label)}${
      host === null ? '' : ` at ${escaped(host)}`
    }.</p>` +
      (host === null ? '' : `<p>Your browser opens ${escaped(host)}. The app never sees your password.</p>`) +
      requestOf(card) +
      noteOf(card) +
      '<form method="post"><button name="answer" value="yes">Connect</button> ' +
      (outage !== undefined ? '<button name="answer" value="retry">Retry</button> ' : '') +
      '<button name="answer" value="no">Not now</button></form>',
  );
};

/** Seconds after which the page of a sign-in looks for its digits again. */
const RELOAD_SECONDS = 4;

/** Shown after the user agreed, until the sign-in ends. */
const signInPage = (digits: string | null, note = 'The sign-in opens in your browser.'): string =>
  pageOf(
    'Sign in',
    `<p>${escaped(note)}</p>` +
      (digits === null ? '' : `<p>If its page asks for three digits, type <strong>${digits}</strong>.</p>`) +
      '<p>Closed the page? Reopen it here.</p>' +
      '<form method="post"><button name="answer" value="yes">Reopen sign-in page</button> ' +
      '<button name="answer" value="no">Cancel sign-in</button></form>',
    digits === null ? `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">` : '',
  );

const NOT_CONNECTED = pageOf('Not connected', '<p>Nothing was connected. You can close this tab.</p>');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // With `no-referrer`, browsers send `Origin: null` with this page's own form.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const send = (response: ServerResponse, status: number, page: string): void =>
  void response.writeHead(status, HEADERS).end(page);

/** Parses the form of a button; null for a larger body. */
async function answerIn(request: IncomingMessage): Promise<string | null> {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > 100) return null;
  }
  return new URLSearchParams(body).get('answer');
}

/** The answer to a card, from the form value; null for an unknown value. */
function answerOf(choice: string | null, { binding }: ConnectCard): Answer | null {
  if (choice === 'retry') return { accepted: true, binding, choice: 'retry' };
  if (choice === 'yes') return { accepted: true, binding };
  return choice === 'no' ? { accepted: false } : null;
}

/** Reopens the sign-in of a card, or cancels it. @returns the resulting page */
async function controlSignIn(
  { card: { app, account } }: Link,
  choice: string | null,
  control: SignInControl,
) {
  if (choice === 'no') {
    control.cancel(app.appId, account.id);
    return NOT_CONNECTED;
  }
  const digits = control.digits(app.appId, account.id);
  try {
    const isOpen = await control.reopen(app.appId, account.id);
    const note = isOpen ? undefined : 'The sign-in page is not available yet. Try again in a moment.';
    return signInPage(digits, note);
  } catch (error) {
    if (error instanceof RuntimeError) return signInPage(digits, error.message);
    throw error;
  }
}

/**
 * @param origin origin of the desktop
 * @param path base path of the pages
 * @param accounts reopens and cancels sign-ins
 */
export function createConnectLinks(
  system: Pick<System, 'randomBytes'>,
  { origin, path, accounts }: { origin: string; path: string; accounts: SignInControl },
) {
  const links = new Map<string, Link>();

  async function handleAnswer(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const choice = await answerIn(request);
    const link = links.get(id);
    const answer = link && answerOf(choice, link.card);
    if (!link || !answer) return send(response, 400, pageOf('Nothing to answer', ''));
    if (link.isAgreed) return send(response, 200, await controlSignIn(link, choice, accounts));
    link.isAgreed = answer.accepted && choice === 'yes';
    if (!link.isAgreed) links.delete(id);
    link.answered(answer);
    if (choice === 'retry')
      return send(response, 200, pageOf('Trying again', '<p>You can close this tab.</p>'));
    send(response, 200, link.isAgreed ? signInPage(null) : NOT_CONNECTED);
  }

  const waitingPage = ({ card: { app, account } }: Link): string =>
    signInPage(accounts.digits(app.appId, account.id), 'A sign-in is in progress.');

  return {
    open(card: ConnectCard): ConnectLink {
      const id = Buffer.from(system.randomBytes(24)).toString('base64url');
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const [oldest] = links.keys();
      if (links.size >= MAX_LINKS && oldest !== undefined) {
        links.get(oldest)?.answered({ accepted: false });
        links.delete(oldest);
      }
      links.set(id, { card, isAgreed: false, answered: resolve });
      return {
        id,
        url: `${origin}${path}/${id}`,
        answer: (signal) => orAborted(signal, promise),
        close() {
          if (links.get(id)?.isAgreed === false) links.delete(id);
        },
      };
    },
    /** Handles requests of such a page. @returns false if the path is not one of these pages */
    serve(request: IncomingMessage, response: ServerResponse, asked: string) {
      if (!asked.startsWith(`${path}/`)) return false;
      const id = asked.slice(path.length + 1);
      const link = links.get(id);
      const isForeign = !['same-origin', 'none', undefined].includes(
        request.headers['sec-fetch-site'] as string | undefined,
      );
      if (!link)
        send(
          response,
          404,
          pageOf('Nothing to connect', '<p>The sign-in has ended, or this link has expired.</p>'),
        );
      else if (request.method === 'GET')
        send(response, 200, link.isAgreed ? waitingPage(link) : askPage(link.card));
      else if (request.method !== 'POST' || isForeign) send(response, 403, pageOf('Refused', ''));
      else handleAnswer(id, request, response).catch(() => response.destroy());
      return true;
    },
    /** Invalidates the links of a sign-in that has ended. */
    ended(appId: string, accountId: string) {
      for (const [id, { card, isAgreed }] of links)
        if (isAgreed && card.app.appId === appId && card.account.id === accountId) links.delete(id);
    },
  };
}

/**
 * Pages on which the user agrees to connect an account, for agents whose clients can open URLs. Such a page contains no token:
 * agreeing opens the sign-in in the user's browser, like on the desktop page.
 */
export type ConnectLinks = ReturnType<typeof createConnectLinks>;
