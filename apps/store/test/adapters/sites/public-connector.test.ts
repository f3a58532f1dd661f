import { Resolver } from 'node:dns/promises';
import { startDns } from '@svc/testkit/dns-server';
import { startHttps } from '@svc/testkit/https-server';
import { expect, it } from 'vitest';
import { connectorTo, NotPublicError } from '../../../src/adapters/sites/public-connector.ts';

const HOST = 'acme.example';

/** Connects to a server on 127.0.0.1; `verdicts` are those of its address, in the order of the checks. */
async function connect(verdicts: boolean[]) {
  let requests = 0;
  const server = await startHttps(HOST, (_request, response) => {
    requests += 1;
    response.end();
  });
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([
    await startDns(({ type, name }) => (type === 'A' ? [{ type, name, data: '127.0.0.1' }] : [])),
  ]);
  const checked: string[] = [];
  const isAllowed = (address: string) => {
    checked.push(address);
    return verdicts[checked.length - 1] ?? false;
  };
  const connector = connectorTo({ resolver, isAllowed, port: server.port, timeoutMs: 5_000, ca: server.ca });
  const { error, socket } = await new Promise<{ error: Error | null; socket: { destroy(): void } | null }>(
    (resolve) =>
      connector({ hostname: HOST, host: HOST, protocol: 'https:', port: '443' }, (...[error, socket]) =>
        resolve({ error, socket }),
      ),
  );
  socket?.destroy();
  return { error, isOpen: socket !== null, checked, requests: () => requests };
}

it('checks the address of the name, and that of the open connection', async () => {
  expect(await connect([true, true])).toMatchObject({
    error: null,
    isOpen: true,
    checked: ['127.0.0.1', '127.0.0.1'],
  });
});

it('ends a connection that leads to an address that is not allowed, whatever the name resolved to', async () => {
  const { error, isOpen, requests } = await connect([true, false]);
  expect(error).toBeInstanceOf(NotPublicError);
  expect(error?.message).toBe('The connection led to no allowed address.');
  expect([isOpen, requests()]).toEqual([false, 0]);
});
