import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type Listening, listenAgain, listenForPages } from '../../src/http/listen.ts';
import { ask } from '../support/ask.ts';
import { tempFolder } from '../support/temp-folder.ts';

const unexpected = (error: unknown) => {
  throw error;
};

async function open(port = 0): Promise<Listening> {
  const listening = await listenForPages(port, unexpected);
  onTestFinished(() => listening.close());
  listening.serve(async ({ response }) => void response.end('here'));
  return listening;
}

it('answers requests to its origin', async () => {
  const { port, origin } = await open();
  expect(origin).toBe(`http://localhost:${port}`);
  const headers = { host: `localhost:${port}` };
  expect((await ask(port, { headers })).body.toString()).toBe('here');
});

it('refuses a request with another host name (DNS rebinding)', async () => {
  const { port } = await open();
  const answer = await ask(port, { headers: { host: `evil.example:${port}` } });
  expect(answer.status).toBe(421);
  expect(answer.body.toString()).not.toContain('here');
});

it('keeps its port after a restart, unless another program has it or the user chooses one', async () => {
  const folder = await tempFolder();
  const start = (chosen = 0) => listenAgain(folder, chosen, unexpected);
  const first = await start();
  const second = await start();
  expect(second.port).not.toBe(first.port);
  await Promise.all([first.close(), second.close()]);
  const again = await start();
  expect(again.port).toBe(second.port);
  await again.close();
  const chosen = await start(first.port);
  expect(chosen.port).toBe(first.port);
  await chosen.close();
});

it('does not open when a program uses the same port on one of the addresses', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())));
  const { port } = other.address() as { port: number };
  await expect(listenForPages(port, unexpected)).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});

it('reports an internal error to the program, but not to the client', async () => {
  const faults: unknown[] = [];
  const listening = await listenForPages(0, (error) => faults.push(error));
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
