import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { S3Settings, Timeouts } from '../../src/adapters/s3/s3-client.ts';

/** What the fake was asked, and how it answers. */
export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };
export type Answer = (asked: Asked, response: ServerResponse) => void;

/** An impatient store: what waits for seconds in earnest waits for milliseconds here. */
export const IMPATIENT: Timeouts = { answerMs: 300, deadlineMs: 2_000, pauseMs: 5 };

/** An empty bucket, as S3 lists it. */
export const EMPTY_LIST: Answer = (_asked, response) =>
  response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');

/** A fault, as S3 tells it. */
export const fault =
  (status: number, code: string): Answer =>
  (_asked, response) => {
    response.writeHead(status);
    response.end(`<Error><Code>${code}</Code><AWSAccessKeyId>AKFAKE</AWSAccessKeyId></Error>`);
  };

/** Ends the connection in place of an answer. */
export const hangUp: Answer = (_asked, response) => response.destroy();

/** Never answers. */
export const stayStill: Answer = () => {};

/**
 * A server that does what S3 must not: it says what it is told to, in that order, and the last of it for ever. It checks
 * nothing; whether our requests are right is asked of a real S3.
 */
export async function fakeS3(...answers: Answer[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const { method = '', url = '', headers } = request;
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ method, url, headers, body });
    answer?.({ method, url, headers, body }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  const settings: S3Settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'apps',
    prefix: '',
    accessKeyId: 'AKFAKE',
    secretAccessKey: 'the-secret-of-the-fake',
  };
  return { asked, settings };
}
