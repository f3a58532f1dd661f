import type { IncomingMessage } from 'node:http';
import { HttpError } from './exchange.ts';

const LOOPBACK = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;

/** `Host` values of this computer. Any other name is refused (DNS rebinding). */
const hostsOf = (port: number): readonly string[] =>
  ['localhost', '127.0.0.1', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`));

type RequestHead = Pick<IncomingMessage, 'headers' | 'method'> & {
  socket: { remoteAddress?: string | undefined };
};

/** Whether a page of another site made the request. Navigation by a link is allowed: the page contains no secret. */
function isCrossSite({ headers, method }: RequestHead): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(method === 'GET' && (isNavigation || site === 'none'));
}

/**
 * Admits requests from this computer with a loopback host, from the desktop's own page or from no page. Other ports of this computer are
 * other programs and count as cross-site.
 * @param port of the server
 * @throws HttpError 403, and 421 for another host (DNS rebinding)
 */
export function admit(request: RequestHead, port: number): void {
  const { host, origin } = request.headers;
  if (!LOOPBACK.test(request.socket.remoteAddress ?? ''))
    throw new HttpError(403, 'unauthorized', 'svc desktop only accepts requests from this computer.');
  if (host === undefined || !hostsOf(port).includes(host))
    throw new HttpError(421, 'invalid_request', `Wrong host. Use http://localhost:${port}.`);
  if ((origin !== undefined && origin !== `http://${host}`) || isCrossSite(request))
    throw new HttpError(403, 'unauthorized', 'svc desktop does not accept requests from other sites.');
}
