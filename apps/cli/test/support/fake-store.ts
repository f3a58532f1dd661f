import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Answers one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A request to a fake store. */
type Seen = { method: string; url: string; authorization: string | undefined; body: Buffer };

/** Starts a server with the responses of a test on a free port, closed after the test. */
export async function fakeStore(handler: Handler) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, authorization: headers.authorization, body });
    handler(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** Responds to every request with one JSON body. */
export const answering =
  (body: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
