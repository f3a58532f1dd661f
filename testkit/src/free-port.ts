import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections and to servers that ask for any, so that nothing but this function gives one
 * of them away between the look and the use.
 */
const PORTS = { from: 15_000, to: 32_000 };
const MAX_TRIES = 100;

/** Whether nothing listens on a port at any address of this machine just now. */
function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const tryAt = (host: string, orElse: (code: string | undefined) => void) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => orElse(code));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  };
  // All addresses of IPv6 and of IPv4 at once; where there is no IPv6, those of IPv4.
  tryAt('::', (code) => {
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') resolve(false);
    else tryAt('0.0.0.0', () => resolve(false));
  });
  return promise;
}

/**
 * A port that nothing listens on just now, for a server that cannot choose one itself.
 * @param wished tried first
 */
export async function freePort(wished?: number): Promise<number> {
  if (wished !== undefined && (await isFree(wished))) return wished;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port between ${PORTS.from} and ${PORTS.to} of this machine is free.`);
}
