import type { IncomingMessage } from 'node:http';
import { HttpError } from './exchange.ts';

const LOOPBACK = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;

/** What browsers write as `Host` for this machine. A name that DNS led here is another. */
const hostsOf = (port: number): readonly string[] =>
  ['localhost', '127.0.0.1', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`));

type Asked = Pick<IncomingMessage, 'headers' | 'method'> & { socket: { remoteAddress?: string | undefined } };

/** Whether a page elsewhere made the browser ask. One that only leads here with a link gets the page, which holds no secret. */
function isFromElsewhere({ headers, method }: Asked): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(method === 'GET' && (isNavigation || site === 'none'));
}

/**
 * Lets in what comes from this machine, by our own name, and from our own page or from no page at all. Other ports of this
 * machine are other programs, and count as elsewhere.
 * @param port of the server
 * @throws HttpError 403, and 421 for another host (DNS rebinding)
 */
export function admit(request: Asked, port: number): void {
  const { host, origin } = request.headers;
  if (!LOOPBACK.test(request.socket.remoteAddress ?? ''))
    throw new HttpError(403, 'unauthorized', 'The desktop answers this machine alone.');
  if (host === undefined || !hostsOf(port).includes(host))
    throw new HttpError(421, 'invalid_request', `The desktop is http://localhost:${port}.`);
  if ((origin !== undefined && origin !== `http://${host}`) || isFromElsewhere(request))
    throw new HttpError(403, 'unauthorized', 'Pages of others cannot ask the desktop.');
}
