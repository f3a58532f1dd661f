import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../src/free-port.ts';

async function hold(host: string, port = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host, port }, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as { port: number }).port;
}

it('returns the preferred port when it is free', async () => {
  const wished = await freePort();
  expect(await freePort(wished)).toBe(wished);
  expect(await hold('127.0.0.1', wished)).toBe(wished);
});

it.each(['127.0.0.1', '0.0.0.0'])(
  'returns another port when the preferred one is in use on %s',
  async (host) => {
    const wished = await hold(host);
    expect(await freePort(wished)).not.toBe(wished);
  },
);
