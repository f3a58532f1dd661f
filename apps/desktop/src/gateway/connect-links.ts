import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, type ConnectCard, type RuntimeAccounts, RuntimeError, type System } from '@svc/runtime';
import { visible } from '@svc/text';

/** Links at once, at most: the oldest goes first. */
const MAX_LINKS = 32;

/** A page of ours that stands for one card for as long as it waits. */
export type ConnectLink = {
  id: string;
  url: string;
  /** What the person said on the page. */
  answer(signal: AbortSignal): Promise<Answer>;
  /** Ends it, unless the user agreed: it then opens their sign-in again until that is over. */
  close(): void;
};

/**
 * Pages on which a person agrees to connect an account, for agents whose clients can open an address. Such a page holds no
 * token and gets none: saying yes opens the sign-in in the person's own browser, as it does from the desktop page.
 */
export type ConnectLinks = {
  open(card: ConnectCard): ConnectLink;
  /** Answers `GET` and `POST` of such a page. @returns false when the path is none of its */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** A sign-in is over: links to it lead nowhere any more. */
  ended(appId: string, accountId: string): void;
};

/** What such a page does with a sign-in under way. */
export type SignInControl = Pick<RuntimeAccounts, 'reopen' | 'cancel'>;

/** A card, and whether its user agreed: their sign-in is then under way. */
type Link = { card: ConnectCard; isAgreed: boolean; answered(answer: Answer): void };

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const pageOf = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main><h1>${title}</h1>${body}</main></html>`;

/** What is known of the server and of a sign-in before this one. */
const noteOf = ({ outage, formerHost, isUnderWay }: ConnectCard): string =>
  [
    outage === undefined ? '' : `No fresh token at the moment: ${escaped(outage)}`,
    typeof formerHost === 'string'
      ? `The authorization server has changed: it was ${escaped(formerHost)}.`
      : '',
    isUnderWay ? 'A sign-in is under way: Connect opens its page again.' : '',
  ]
    .filter((text) => text !== '')
    .map((text) => `<p>${text}</p>`)
    .join('');

const askPage = (card: ConnectCard): string => askPageOf(card, card.outage !== undefined);

const listOf = (texts: readonly string[]): string =>
  `<ul>${texts.map((text) => `<li>${escaped(visible(text))}</li>`).join('')}</ul>`;

/** Who asks, and what for: the scopes, and beside them what the app says of it, marked as the app's. */
const askedOf = ({ app, account, permissions }: ConnectCard): string =>
  [
    `<p>Publisher: ${app.publisher === null ? 'none' : escaped(visible(app.publisher))}. App: ${escaped(app.appId)} ${escaped(app.version)}.</p>`,
    account.scopes.length > 0 ? `<h2>It asks for</h2>${listOf(account.scopes)}` : '',
    permissions.length > 0
      ? `<h2>What the app says about it</h2><p>In its own words. svc does not check them.</p><blockquote>${listOf(permissions)}</blockquote>`
      : '',
  ].join('');

const askPageOf = ({ app, account, host, ...card }: ConnectCard, canRetry: boolean): string =>
  pageOf(
    'Connect an account',
    `<p>${escaped(app.name)} (${escaped(app.appId)}) wants to use your account ${escaped(account.label)}${
      host === null ? '' : ` at ${escaped(host)}`
    }.</p>` +
      (host === null ? '' : `<p>Your browser opens ${escaped(host)}. The app gets no password.</p>`) +
      askedOf({ app, account, host, ...card }) +
      noteOf({ app, account, host, ...card }) +
      '<form method="post"><button name="answer" value="yes">Connect</button> ' +
      (canRetry ? '<button name="answer" value="retry">Try again</button> ' : '') +
      '<button name="answer" value="no">Not now</button></form>',
  );

/** What the user sees from when they agreed until the sign-in is over. */
const signInPage = (note = 'The sign-in opens in your browser.'): string =>
  pageOf(
    'Sign in',
    `<p>${escaped(note)}</p><p>You have lost it? Open it again here.</p>` +
      '<form method="post"><button name="answer" value="yes">Open the sign-in again</button> ' +
      '<button name="answer" value="no">Cancel the sign-in</button></form>',
  );

const NOT_CONNECTED = pageOf('Not connected', '<p>Nothing was connected. You can close this tab.</p>');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Without a referrer a browser would send this page's own form as from nowhere.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const send = (response: ServerResponse, status: number, page: string): void =>
  void response.writeHead(status, HEADERS).end(page);

/** What a form of two buttons sends; anything larger is none. */
async function answerIn(request: IncomingMessage): Promise<string | null> {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > 100) return null;
  }
  return new URLSearchParams(body).get('answer');
}

/** The answer to a card, as a form says it; null when it says none. */
function answerOf(said: string | null, { binding }: ConnectCard): Answer | null {
  if (said === 'retry') return { accepted: true, binding, choice: 'retry' };
  if (said === 'yes') return { accepted: true, binding };
  return said === 'no' ? { accepted: false } : null;
}

/** Opens the sign-in of a card again, or cancels it. @returns the page that says so */
async function steer({ card: { app, account } }: Link, said: string | null, control: SignInControl) {
  if (said === 'no') {
    control.cancel(app.appId, account.id);
    return NOT_CONNECTED;
  }
  try {
    const isOpen = await control.reopen(app.appId, account.id);
    return signInPage(isOpen ? undefined : 'Its page is not known yet. Try again in a moment.');
  } catch (error) {
    if (error instanceof RuntimeError) return signInPage(error.message);
    throw error;
  }
}

/**
 * @param origin where the desktop answers
 * @param path under which the pages are
 * @param accounts whose sign-ins the pages open again, and cancel
 */
export function createConnectLinks(
  ambient: Pick<System, 'randomBytes'>,
  { origin, path, accounts }: { origin: string; path: string; accounts: SignInControl },
): ConnectLinks {
  const links = new Map<string, Link>();

  async function take(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const said = await answerIn(request);
    const link = links.get(id);
    const answer = link && answerOf(said, link.card);
    if (!link || !answer) return send(response, 400, pageOf('Nothing to answer', ''));
    if (link.isAgreed) return send(response, 200, await steer(link, said, accounts));
    link.isAgreed = answer.accepted && said === 'yes';
    if (!link.isAgreed) links.delete(id);
    link.answered(answer);
    if (said === 'retry')
      return send(response, 200, pageOf('Trying again', '<p>You can close this tab.</p>'));
    send(response, 200, link.isAgreed ? signInPage() : NOT_CONNECTED);
  }

  return {
    open(card) {
      const id = Buffer.from(ambient.randomBytes(24)).toString('base64url');
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
        answer: (signal) =>
          Promise.race([
            promise,
            new Promise<never>((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            }),
          ]),
        close() {
          if (links.get(id)?.isAgreed === false) links.delete(id);
        },
      };
    },
    serve(request, response, asked) {
      if (!asked.startsWith(`${path}/`)) return false;
      const id = asked.slice(path.length + 1);
      const link = links.get(id);
      const isForeign = !['same-origin', 'none', undefined].includes(
        request.headers['sec-fetch-site'] as string | undefined,
      );
      if (!link)
        send(response, 404, pageOf('Nothing to connect', '<p>This link has been used, or is over.</p>'));
      else if (request.method === 'GET')
        send(response, 200, link.isAgreed ? signInPage('A sign-in is under way.') : askPage(link.card));
      else if (request.method !== 'POST' || isForeign) send(response, 403, pageOf('Refused', ''));
      else take(id, request, response).catch(() => response.destroy());
      return true;
    },
    ended(appId, accountId) {
      for (const [id, { card, isAgreed }] of links)
        if (isAgreed && card.app.appId === appId && card.account.id === accountId) links.delete(id);
    },
  };
}
