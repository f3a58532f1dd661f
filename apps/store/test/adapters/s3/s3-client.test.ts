import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Ask, createS3Client, readText, type Timeouts } from '../../../src/adapters/s3/s3-client.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { type Answer, fakeS3, fault, hangUp, IMPATIENT, stayStill } from '../../support/fake-s3.ts';

const fine: Answer = (_asked, response) => response.end('fine');
const halfAnAnswer: Answer = (_asked, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('half');
  setTimeout(() => response.destroy(), 10);
};
const get: Ask = { method: 'GET', key: 'x', accept: [200] };

/** Short pauses between tries, but long enough timeouts for a busy machine. */
const PATIENT: Timeouts = { ...IMPATIENT, answerMs: 30_000, deadlineMs: 60_000 };

/** For a server that does not answer: the deadline leaves time for three tries on a busy machine. */
const SHORT_OF_ANSWERS: Timeouts = { ...PATIENT, answerMs: IMPATIENT.answerMs };

async function clientOf(
  answers: Answer[],
  timeouts: Timeouts = answers.includes(stayStill) ? SHORT_OF_ANSWERS : PATIENT,
) {
  const { asked, settings } = await fakeS3(...answers);
  return { asked, settings, client: createS3Client(settings, timeouts) };
}

describe('a request to S3', () => {
  it.each([
    ['an overloaded server', [fault(503, 'SlowDown'), fault(500, 'InternalError'), fine]],
    ['throttling', [fault(429, 'TooManyRequests'), fine]],
    ['a connection cut off', [hangUp, fine]],
    ['an answer cut off', [halfAnAnswer, fine]],
    ['a server that does not answer', [stayStill, fine]],
  ])('is retried after %s', async (_name, answers) => {
    const { asked, client } = await clientOf(answers);
    expect(await client.send(get, readText)).toBe('fine');
    expect(asked.length).toBe(answers.length);
  });

  it.each([
    ['an overloaded server', fault(503, 'SlowDown'), /\(3 tries\): 503 SlowDown$/],
    ['connections cut off', hangUp, /\(3 tries\): /],
    ['answers cut off', halfAnAnswer, /\(3 tries\): /],
    ['a server that does not answer', stayStill, /\(3 tries\): no answer within 300 ms$/],
  ])('fails after three tries: %s', async (_name, answer, message) => {
    const { asked, client } = await clientOf([answer]);
    const sent = client.send(get, readText);
    await expect(sent).rejects.toThrow(UnavailableError);
    await expect(sent).rejects.toThrow(message);
    // On a busy machine a request can be given up before it reaches the server.
    if (answer !== stayStill) expect(asked.length).toBe(3);
  });

  it('is not retried after the deadline, and is aborted at the deadline', async () => {
    const { asked, client } = await clientOf([stayStill], {
      answerMs: 600_000,
      deadlineMs: 1_000,
      pauseMs: 5,
    });
    // At the deadline, not after the ten minutes of `answerMs`, which are longer than the timeout of the test.
    await expect(client.send(get, readText)).rejects.toThrow(/1 tries/);
    expect(asked.length).toBe(1);
  });

  it.each([
    [400, 'AuthorizationHeaderMalformed', /check the endpoint and the region/],
    [403, 'SignatureDoesNotMatch', /check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY/],
    [404, 'NoSuchBucket', /check the name of the bucket/],
    [301, 'PermanentRedirect', /check the endpoint and the region/],
  ])('is not retried after a permanent error: %i %s', async (status, code, advice) => {
    const { asked, client, settings } = await clientOf([fault(status, code)]);
    const error: Error = await client.send(get, readText).then(
      () => expect.fail('The request succeeded.'),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error.message).toContain(`${status} ${code}`);
    expect(error.message).toMatch(advice);
    expect(asked.length).toBe(1);
    // The body of the response repeats the access key; the error does not.
    expect(error.stack).not.toContain(settings.accessKeyId);
  });

  it('reports no error code that contains other text', async () => {
    const { client } = await clientOf([fault(403, 'a\nforged log line')]);
    await expect(client.send(get, readText)).rejects.toThrow(/^S3 answered 403 to GET: /);
  });

  it('does not follow redirects', async () => {
    const { asked: elsewhere, settings } = await fakeS3(fine);
    const { client } = await clientOf([
      (_asked, response) => {
        response.writeHead(307, { location: `${settings.endpoint}/apps/x` });
        response.end();
      },
    ]);
    await expect(client.send(get, readText)).rejects.toThrow(/^S3 answered 307/);
    expect(elsewhere).toEqual([]);
  });

  it('has the length and hash of its content in each try, and never the secret key', async () => {
    const { asked, client, settings } = await clientOf([fault(503, 'SlowDown'), fine]);
    const content = Buffer.from('the bytes');
    const sha256 = createHash('sha256').update(content).digest('hex');
    let opened = 0;
    const open = () => {
      opened += 1;
      return ReadableStream.from([content.subarray(0, 3), content.subarray(3)]);
    };
    const put: Ask = {
      method: 'PUT',
      key: 'x',
      content: { sha256, size: content.length, open },
      accept: [200],
    };
    await client.send(put, readText);
    expect(opened).toBe(2);
    for (const { headers, body, url } of asked) {
      expect(url).toBe('/apps/x');
      expect(body.toString()).toBe('the bytes');
      expect(headers['content-length']).toBe('9');
      expect(headers['transfer-encoding']).toBeUndefined();
      expect(headers['x-amz-content-sha256']).toBe(sha256);
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 .*SignedHeaders=[^,]*x-amz-content-sha256/);
      expect(JSON.stringify(headers)).not.toContain(settings.secretAccessKey);
    }
  });

  it('fails when the response is too long', async () => {
    const endless: Answer = (_asked, response) => {
      const more = () => {
        while (response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', more);
      more();
    };
    const { client } = await clientOf([endless]);
    await expect(client.send(get, readText)).rejects.toThrow(/too long/);
  });
});
