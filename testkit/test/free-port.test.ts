import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../src/free-port.ts';

async function hold(host: string, port = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host, port }, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as { port: number }).port;
}

it('gives the port that was wished for, when nothing listens there', async () => {
  const wished = await freePort();
  expect(await freePort(wished)).toBe(wished);
  expect(await hold('127.0.0.1', wished)).toBe(wished);
});

it.each(['127.0.0.1', '0.0.0.0'])('gives another when something listens there at %s', async (host) => {
  const wished = await hold(host);
  expect(await freePort(wished)).not.toBe(wished);
});
