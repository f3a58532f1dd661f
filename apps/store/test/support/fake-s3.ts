import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { S3Settings, Timeouts } from '../../src/adapters/s3/s3-client.ts';

/** The requests that the fake received, and its responses. */
export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer };
export type Answer = (asked: Asked, response: ServerResponse) => void;

/** Short timeouts: milliseconds instead of seconds. */
export const IMPATIENT: Timeouts = { answerMs: 300, deadlineMs: 2_000, pauseMs: 5 };

/** An empty bucket, as S3 lists it. */
export const EMPTY_LIST: Answer = (_asked, response) =>
  response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');

/** An error in the format of S3. */
export const fault =
  (status: number, code: string): Answer =>
  (_asked, response) => {
    response.writeHead(status);
    response.end(`<Error><Code>${code}</Code><AWSAccessKeyId>AKFAKE</AWSAccessKeyId></Error>`);
  };

/** Closes the connection instead of responding. */
export const hangUp: Answer = (_asked, response) => response.destroy();

/** Never responds. */
export const stayStill: Answer = () => {};

/**
 * A server with invalid responses, which S3 would not send: it sends the given responses in order, and then repeats the last one. It
 * verifies nothing; tests with a real S3 check that our requests are valid.
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
