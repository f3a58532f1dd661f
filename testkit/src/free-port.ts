import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports, so that the system does not assign the port to another process between the check and
 * the use.
 */
const PORTS = { from: 15_000, to: 32_000 };
const MAX_TRIES = 100;

/** Whether a port is free on all addresses of this machine. */
function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const tryAt = (host: string, orElse: (code: string | undefined) => void) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => orElse(code));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  };
  // All addresses of IPv6 and IPv4; without IPv6, only those of IPv4.
  tryAt('::', (code) => {
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') resolve(false);
    else tryAt('0.0.0.0', () => resolve(false));
  });
  return promise;
}

/**
 * Finds a free port, for a server that cannot choose one itself.
 * @param wished the preferred port
 */
export async function freePort(wished?: number): Promise<number> {
  if (wished !== undefined && (await isFree(wished))) return wished;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port between ${PORTS.from} and ${PORTS.to} of this machine is free.`);
}
