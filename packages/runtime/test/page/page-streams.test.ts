import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createPageStreams } from '../../src/page/page-streams.ts';
import type { PageEvent } from '../../src/page/wire.ts';

it('emits nothing to a stream that has ended', async () => {
  const streams = createPageStreams();
  const event = { type: 'opened', session: 'a' } as PageEvent;
  const served = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.on('error', served.reject);
    streams.serve(response, 'a', [event]).then(served.resolve, served.reject);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const page = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  streams.close();
  streams.emit(event);
  expect(await page.text()).toBe('data: {"type":"opened","session":"a"}\n\n');
  await served.promise;
});
