import { Agent, fetch as fetchWith } from 'undici/index.js';

/**
 * A `fetch` whose requests all go to the server at a socket: a Unix domain socket, or a named pipe of Windows. The host of a URL has no
 * meaning. Responses may take any time.
 */
export function socketFetch(socketPath: string): typeof fetch {
  const dispatcher = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 });
  const send = (input: string | URL, init: object = {}) => fetchWith(input, { ...init, dispatcher });
  return send as unknown as typeof fetch;
}
