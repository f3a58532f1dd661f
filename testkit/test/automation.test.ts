import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { automationOf } from '../src/automation.ts';

const TOKEN = 'every-role-0123456789';

/** A store that accepts every request with the token, and returns a version with this status. */
async function startStore(status: 'published' | 'in_review') {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method, url, headers } = request;
    asked.push([method, url, headers['content-type'], body].join(' '));
    const isKnown = headers.authorization === `Bearer ${TOKEN}`;
    const made = { appId: 'com.example.a', version: '1.0.0-a/b', status };
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? made : { code: 'no' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const UPLOAD = 'POST /api/apps/publish application/zip bundle';
const APPROVAL = 'POST /api/moderation/apps/com.example.a/versions/1.0.0-a%2Fb/approve application/json {}';

it.each([
  ['published', [UPLOAD]],
  ['in_review', [UPLOAD, APPROVAL]],
] as const)(
  'publishes a bundle that is %s after the upload, with an approval only if needed',
  async (status, expected) => {
    const { url, asked } = await startStore(status);
    const made = await automationOf(url, TOKEN).publish(Buffer.from('bundle'));
    expect(made.status).toBe(status);
    expect(asked).toEqual(expected);
  },
);

it('rejects with the response of the store, sends no further request, and does not print the bearer token', async () => {
  const { url, asked } = await startStore('in_review');
  const error = await automationOf(url, TOKEN)
    .publish(Buffer.from('bundle'), 'somebody-else')
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: 'The store answers POST /api/apps/publish with 401: {"code":"no"}',
  });
  expect(asked).toEqual([UPLOAD]);
  expect(String((error as Error).stack)).not.toContain('somebody-else');
});
