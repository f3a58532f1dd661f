import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, ConnectCard, System } from '@svc/runtime';

/** Links that wait at once, at most. */
const MAX_LINKS = 32;

/** A page of ours that stands for one card for as long as it waits. */
export type ConnectLink = {
  id: string;
  url: string;
  /** What the person said on the page. */
  answer(signal: AbortSignal): Promise<Answer>;
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
};

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

const askPageOf = ({ app, account, host, ...card }: ConnectCard, canRetry: boolean): string =>
  pageOf(
    'Connect an account',
    `<p>${escaped(app.name)} (${escaped(app.appId)}) wants to use your account ${escaped(account.label)}${
      host === null ? '' : ` at ${escaped(host)}`
    }.</p>${account.scopes.length > 0 ? `<p>It asks for: ${escaped(account.scopes.join(', '))}</p>` : ''}` +
      noteOf({ app, account, host, ...card }) +
      '<form method="post"><button name="answer" value="yes">Connect</button> ' +
      (canRetry ? '<button name="answer" value="retry">Try again</button> ' : '') +
      '<button name="answer" value="no">Not now</button></form>',
  );

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

/**
 * @param origin where the desktop answers
 * @param path under which the pages are
 */
export function createConnectLinks(
  ambient: Pick<System, 'randomBytes'>,
  { origin, path }: { origin: string; path: string },
): ConnectLinks {
  const waiting = new Map<string, { card: ConnectCard; answered(answer: Answer): void }>();

  async function take(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const said = await answerIn(request);
    const link = waiting.get(id);
    if (!link || (said !== 'yes' && said !== 'no' && said !== 'retry'))
      return send(response, 400, pageOf('Nothing to answer', ''));
    waiting.delete(id);
    link.answered(said === 'retry' ? { accepted: true, choice: 'retry' } : { accepted: said === 'yes' });
    if (said === 'retry')
      return send(response, 200, pageOf('Trying again', '<p>You can close this tab.</p>'));
    send(
      response,
      200,
      said === 'yes'
        ? pageOf('Sign in', '<p>The sign-in opens in your browser. You can close this tab.</p>')
        : pageOf('Not connected', '<p>Nothing was connected. You can close this tab.</p>'),
    );
  }

  return {
    open(card) {
      const id = Buffer.from(ambient.randomBytes(24)).toString('base64url');
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const [oldest] = waiting.keys();
      if (waiting.size >= MAX_LINKS && oldest !== undefined) {
        waiting.get(oldest)?.answered({ accepted: false });
        waiting.delete(oldest);
      }
      waiting.set(id, { card, answered: resolve });
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
        close: () => void waiting.delete(id),
      };
    },
    serve(request, response, asked) {
      if (!asked.startsWith(`${path}/`)) return false;
      const id = asked.slice(path.length + 1);
      const link = waiting.get(id);
      const isForeign = !['same-origin', 'none', undefined].includes(
        request.headers['sec-fetch-site'] as string | undefined,
      );
      if (!link)
        send(response, 404, pageOf('Nothing to connect', '<p>This link has been used, or is over.</p>'));
      else if (request.method === 'GET') send(response, 200, askPage(link.card));
      else if (request.method !== 'POST' || isForeign) send(response, 403, pageOf('Refused', ''));
      else take(id, request, response).catch(() => response.destroy());
      return true;
    },
  };
}
