import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP, needsS3, type S3Server, sampleBundle, startS3Server } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openS3BlobStore, type S3BlobStoreOptions } from '../../../src/adapters/s3/s3-blob-store.ts';
import { createS3Client, readText, type S3Settings, TIMEOUTS } from '../../../src/adapters/s3/s3-client.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import {
  contentOf,
  describeBlobStore,
  hashOf,
  largest,
  MAX_HELD,
  mostHeldBy,
  pieces,
} from '../../support/blob-store-contract.ts';
import { type Answer, EMPTY_LIST, fakeS3, fault, hangUp, IMPATIENT } from '../../support/fake-s3.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

async function opened(settings: S3Settings, options: Partial<S3BlobStoreOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const incoming = join(folder, 'incoming');
  const blobs = await openS3BlobStore({ settings, incoming, newName: randomUUID, ...options });
  return { blobs, folder, incoming: () => readdir(incoming) };
}

describe('a blob store in a real S3', needsS3(), () => {
  let server: S3Server;
  const settingsOf = (prefix: string): S3Settings => {
    const { endpoint, bucket, accessKeyId, secretAccessKey } = server;
    return { endpoint, accessKeyId, secretAccessKey, region: 'us-east-1', bucket, prefix };
  };
  const requester = (prefix = '') => createS3Client(settingsOf(prefix), TIMEOUTS);

  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.stop());

  // Pages of three keys, so that a list of ten needs several pages.
  describeBlobStore(() => opened(settingsOf(`${randomUUID()}/`), { pageSize: 3 }));

  it('omits foreign objects in the bucket from its list', async () => {
    const prefix = `${randomUUID()}/`;
    const { blobs } = await opened(settingsOf(prefix), { pageSize: 1 });
    const kept = await blobs.put(Buffer.from('ours'));
    const foreign = [
      'blobs/notes.txt',
      `blobs/ff/${hashOf('x')}`,
      'blobs/zz/a&b <c>',
      `other/aa/${'a'.repeat(64)}`,
    ];
    for (const key of foreign) {
      const content = { sha256: hashOf('x'), size: 1, open: () => 'x' };
      const path = key.split('/').map(encodeURIComponent).join('/');
      await requester().send({ method: 'PUT', key: prefix + path, content, accept: [200] }, readText);
    }
    expect(await Array.fromAsync(blobs.list())).toEqual([kept]);
  });

  it('gets an error for bytes that changed in transit', async () => {
    const key = `${randomUUID()}/x`;
    const content = { sha256: hashOf('hello'), size: 5, open: () => 'hell0' };
    const sent = requester().send({ method: 'PUT', key, content, accept: [200] }, readText);
    await expect(sent).rejects.toThrow(/^S3 answered 400 XAmzContentSHA256Mismatch to PUT/);
    expect(await requester().send({ method: 'HEAD', key, accept: [404] }, ({ status }) => status)).toBe(404);
  });

  it('fails to open with wrong credentials or a missing bucket', async () => {
    const open = (changes: Partial<S3Settings>) =>
      opened({ ...settingsOf(''), ...changes }, { timeouts: IMPATIENT });
    await expect(open({ secretAccessKey: 'wrong' })).rejects.toThrow(
      /403 SignatureDoesNotMatch.*AWS_SECRET_ACCESS_KEY/,
    );
    await expect(open({ accessKeyId: 'wrong' })).rejects.toThrow(/403 InvalidAccessKeyId.*AWS_ACCESS_KEY_ID/);
    await expect(open({ bucket: 'no-such-bucket' })).rejects.toThrow(/404 NoSuchBucket.*name of the bucket/);
  });

  describe('used by a store', () => {
    const environment = () => ({
      SVC_BLOBS: `s3://apps/${randomUUID()}?endpoint=${server.endpoint}`,
      AWS_ACCESS_KEY_ID: server.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    });
    const bundleOf = (store: TestStore) =>
      store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/bundle');
    const publishAndApprove = async (store: TestStore, token: string) => {
      expect(await bodyOf(store.publish(token))).toMatchObject({ httpStatus: 201 });
      expect(await bodyOf(store.decide('approve', '1.0.0'))).toMatchObject({ httpStatus: 200 });
    };

    it('serves a published bundle, also after a restart, and stores no blobs in the data folder', async () => {
      const settings = environment();
      const store = await openTestStore({ environment: settings });
      await publishAndApprove(store, await store.publisherToken());
      expect(await store.filesUnder('incoming')).toEqual([]);
      await store.close();
      const again = await openTestStore({ folder: store.folder, environment: settings });
      const answer = await bundleOf(again);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(sampleBundle()));
      expect(answer.headers.get('x-svc-sha256')).toBe(hashOf(sampleBundle()));
      expect(await readdir(store.folder)).not.toContain('blobs');
    });

    it('makes uploads fail with 503 and Retry-After while S3 is unavailable, and recovers without a restart', async () => {
      const store = await openTestStore({ environment: environment() });
      const token = await store.publisherToken();
      await server.pause();
      onTestFinished(() => server.resume());
      const refused = await store.publish(token);
      expect(refused.headers.get('retry-after')).toBe('10');
      expect(await bodyOf(refused)).toMatchObject({ httpStatus: 503, code: 'unavailable', retryAfter: 10 });
      expect(await store.filesUnder('incoming')).toEqual([]);
      expect((await store.call('GET', '/api/apps/com.example.notes')).status).toBe(404);
      expect(store.lines.join('\n')).toMatch(/gave no good answer to PUT \(3 tries\): ECONNREFUSED/);
      expect(store.lines.join('\n')).not.toContain(server.secretAccessKey);
      await server.resume();
      await publishAndApprove(store, token);
      expect((await bundleOf(store)).status).toBe(200);
    });
  });
});

/** An S3 with one blob, which responds to downloads as given. */
function holding(size: number, download: Answer): Answer {
  return (asked, response) => {
    if (asked.url.includes('list-type')) return EMPTY_LIST(asked, response);
    if (asked.method === 'HEAD') return response.writeHead(200, { 'content-length': size }).end();
    return asked.method === 'GET' ? download(asked, response) : response.end();
  };
}

const sends =
  (content: string, announced = content.length): Answer =>
  (_asked, response) => {
    response.writeHead(200, { 'content-length': announced });
    response.write(content);
    setTimeout(() => (announced === content.length ? response.end() : response.destroy()), 20);
  };

const sendsPart =
  (content: string, range: string, announced = content.length): Answer =>
  (_asked, response) => {
    response.writeHead(206, { 'content-length': announced, 'content-range': range });
    response.write(content);
    setTimeout(() => (announced === content.length ? response.end() : response.destroy()), 20);
  };

describe('a blob store in a faulty S3', () => {
  it.each([
    ['cut off', sends('hel', 5)],
    ['with too few bytes', sends('hel')],
    ['with too many bytes', sends('hello, world')],
    ['with other bytes', sends('hell0')],
    ['of a missing blob', fault(404, 'NoSuchKey')],
    ['that stalls', (_asked, response) => void response.writeHead(200, { 'content-length': 5 }).write('h')],
  ] satisfies [string, Answer][])('fails a download %s instead of ending it', async (_name, download) => {
    const { settings } = await fakeS3(holding(5, download));
    const { blobs } = await opened(settings, { timeouts: IMPATIENT });
    const blob = await blobs.open(hashOf('hello'));
    let got = 0;
    const reading = async () => {
      for await (const piece of blob?.stream() ?? []) got += piece.byteLength;
    };
    await expect(reading()).rejects.toThrow();
    expect(got).toBeLessThan(5);
  });

  it.each([
    ['the whole blob', sends('hello'), 0],
    ['another range', sendsPart('ell', 'bytes 0-2/5'), 0],
    ['the range of another blob', sendsPart('ell', 'bytes 1-3/9'), 0],
    ['too few bytes', sendsPart('el', 'bytes 1-3/5'), 2],
    ['too many bytes', sendsPart('ello', 'bytes 1-3/5'), 0],
    ['a response that is cut off', sendsPart('el', 'bytes 1-3/5', 3), 2],
  ] satisfies [string, Answer, number][])(
    'fails the download of a range when S3 sends %s',
    async (_name, download, most) => {
      const { asked, settings } = await fakeS3(holding(5, download));
      const { blobs } = await opened(settings, { timeouts: IMPATIENT });
      const blob = await blobs.open(hashOf('hello'));
      let got = 0;
      const reading = async () => {
        for await (const piece of blob?.stream({ offset: 1, length: 3 }) ?? []) got += piece.byteLength;
      };
      await expect(reading()).rejects.toThrow();
      expect(got).toBeLessThanOrEqual(most);
      expect(asked.at(-1)?.headers.range).toBe('bytes=1-3');
    },
  );

  it('requests the bytes only when they are read', async () => {
    const { asked, settings } = await fakeS3(holding(5, sends('hello')));
    const { blobs } = await opened(settings);
    const blob = await blobs.open(hashOf('hello'));
    const stream = blob?.stream();
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
    await stream?.cancel();
    expect(await contentOf(blobs, hashOf('hello'))).toBe('hello');
  });

  it('fails an upload whose size in S3 is wrong afterwards', async () => {
    const { settings } = await fakeS3(holding(3, fault(404, 'NoSuchKey')));
    const { blobs } = await opened(settings);
    const staged = await blobs.stage(pieces('hello'), 5);
    await expect(staged?.keep()).rejects.toThrow('S3 took 5 bytes and holds 3.');
    await expect(blobs.put(Buffer.from('hello'))).rejects.toThrow(UnavailableError);
  });

  it('sends the same bytes again when the connection is cut during an upload', async () => {
    const cutOnce = [EMPTY_LIST, hangUp, holding(5, fault(404, 'NoSuchKey'))];
    const { asked, settings } = await fakeS3(...cutOnce);
    const { blobs } = await opened(settings, { timeouts: IMPATIENT });
    await (await blobs.stage(pieces('hel', 'lo'), 5))?.keep();
    expect(asked.filter(({ method }) => method === 'PUT').map(({ body }) => body.toString())).toEqual([
      'hello',
      'hello',
    ]);
  });

  it('buffers little while S3 reads an upload slowly', DEEP, async () => {
    const server = createServer((request, response) => {
      if (request.method === 'GET') response.end('<ListBucketResult/>');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { settings } = await fakeS3(EMPTY_LIST);
    const { port } = server.address() as { port: number };
    const timeouts = { answerMs: 600, deadlineMs: 600, pauseMs: 5 };
    const { blobs } = await opened({ ...settings, endpoint: `http://127.0.0.1:${port}` }, { timeouts });
    const staged = await blobs.stage(largest(), Number.POSITIVE_INFINITY);
    const most = await mostHeldBy(() => expect(staged?.keep()).rejects.toThrow('no answer within'));
    expect(most).toBeLessThan(MAX_HELD);
  });

  it('does not open when the endpoint is a web page', async () => {
    const { settings } = await fakeS3((_asked, response) => response.end('<html>Welcome</html>'));
    await expect(opened(settings)).rejects.toThrow(/does not respond like S3/);
  });

  it('stops listing when the pages of S3 do not end', async () => {
    const key = `blobs/${'a'.repeat(2)}/${'a'.repeat(64)}`;
    const { settings } = await fakeS3((_asked, response) =>
      response.end(`<ListBucketResult><Key>${key}</Key><IsTruncated>true</IsTruncated></ListBucketResult>`),
    );
    const { blobs } = await opened(settings);
    await expect(Array.fromAsync(blobs.list())).rejects.toThrow('without an end');
  });
});
