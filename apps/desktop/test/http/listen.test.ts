import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type Listening, listenOnLoopback } from '../../src/http/listen.ts';
import { ask } from '../support/ask.ts';

const unexpected = (error: unknown) => {
  throw error;
};

async function open(port = 0): Promise<Listening> {
  const listening = await listenOnLoopback(port, unexpected);
  onTestFinished(() => listening.close());
  listening.serve(async ({ response }) => void response.end('here'));
  return listening;
}

const hasIpv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer();
  probe.once('error', () => resolve(false));
  probe.listen(0, '::1', () => probe.close(() => resolve(true)));
});

it('answers at both loopback addresses under one port', async () => {
  const { port, origin } = await open();
  expect(origin).toBe(`http://localhost:${port}`);
  const headers = { host: `localhost:${port}` };
  const hosts = hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
  for (const host of hosts) expect((await ask(port, { host, headers })).body.toString()).toBe('here');
});

it('answers nobody who came by another name (DNS rebinding)', async () => {
  const { port } = await open();
  const answer = await ask(port, { headers: { host: `evil.example:${port}` } });
  expect(answer.status).toBe(421);
  expect(answer.body.toString()).not.toContain('here');
});

it('does not open beside a program that has the same port at the other address', async () => {
  if (!hasIpv6) return;
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ host: '::1', port: 0, ipv6Only: true }, resolve));
  onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())));
  const { port } = other.address() as { port: number };
  await expect(listenOnLoopback(port, unexpected)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  // Nothing is left open at the address that was free.
  await expect(ask(port, { host: '127.0.0.1' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('says nothing of a fault but to the program', async () => {
  const faults: unknown[] = [];
  const listening = await listenOnLoopback(0, (error) => faults.push(error));
  onTestFinished(() => listening.close());
  const fault = new Error('a secret of ours');
  listening.serve(async () => {
    throw fault;
  });
  const answer = await ask(listening.port, {});
  expect(answer.status).toBe(500);
  expect(answer.body.toString()).not.toContain('secret');
  expect(faults).toEqual([fault]);
});
