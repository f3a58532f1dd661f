import { readdir, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { needs, sampleBundle } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/composition/serve.ts';
import { matchesIfRange, readRange } from '../../src/http/send-blob.ts';
import { bodyOf, openTestStore } from '../support/test-store.ts';

const PATH = '/api/apps/com.example.notes/versions/1.0.0/bundle';
const BUNDLE = sampleBundle();
const SIZE = BUNDLE.byteLength;

async function published() {
  const store = await openTestStore();
  await store.publish(await store.publisherToken());
  await store.decide('approve', '1.0.0');
  const ask = (headers: Record<string, string>, method = 'GET', path = PATH) =>
    store.call(method, path, { headers });
  return { store, ask };
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a range of a bundle', () => {
  it('is sent with 206 and Content-Range', async () => {
    const { ask } = await published();
    const whole = await ask({});
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=10-99', 10, 100],
      [`bytes=${SIZE - 5}-`, SIZE - 5, SIZE],
      ['bytes=-7', SIZE - 7, SIZE],
      ['bytes=0-', 0, SIZE],
    ] as const) {
      const part = await ask({ range });
      expect([range, part.status]).toEqual([range, 206]);
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${SIZE}`);
      expect(part.headers.get('content-length')).toBe(String(to - from));
      for (const name of ['etag', 'x-svc-sha256', 'x-svc-signature', 'cache-control', 'content-type'])
        expect(part.headers.get(name)).toBe(whole.headers.get(name));
      expect(await bytesOf(part)).toEqual(Buffer.from(BUNDLE.subarray(from, to)));
    }
  });

  it('continues a download only when If-Range matches the ETag', async () => {
    const { ask } = await published();
    const etag = (await ask({})).headers.get('etag') ?? '';
    expect((await ask({ range: 'bytes=5-', 'if-range': etag })).status).toBe(206);
    for (const other of [`W/${etag}`, '"other"', 'Sun, 01 Mar 2026 12:00:00 GMT']) {
      const answer = await ask({ range: 'bytes=5-', 'if-range': other });
      expect([other, answer.status, (await bytesOf(answer)).byteLength]).toEqual([other, 200, SIZE]);
      expect(answer.headers.get('content-range')).toBeNull();
    }
  });

  it('after the end is refused with 416 and the size', async () => {
    const { ask } = await published();
    const answer = await ask({ range: `bytes=${SIZE}-` });
    expect(answer.headers.get('content-range')).toBe(`bytes */${SIZE}`);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await bodyOf(answer)).toMatchObject({
      httpStatus: 416,
      code: 'range_not_satisfiable',
      size: SIZE,
    });
  });

  it('is ignored for several ranges, other units and HEAD', async () => {
    const { ask } = await published();
    for (const range of ['bytes=0-1,4-5', 'bytes=5-2', 'lines=1-2']) {
      const answer = await ask({ range });
      expect([range, answer.status, (await bytesOf(answer)).byteLength]).toEqual([range, 200, SIZE]);
    }
    const head = await ask({ range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(SIZE)]);
    expect(head.headers.get('accept-ranges')).toBe('bytes');
    expect((await bytesOf(head)).byteLength).toBe(0);
  });

  it('is answered with 304 when the client has the bundle', async () => {
    const { ask } = await published();
    const etag = (await ask({})).headers.get('etag') ?? '';
    for (const range of ['bytes=0-1', `bytes=${SIZE}-`])
      expect((await ask({ range, 'if-none-match': etag })).status).toBe(304);
  });

  it('answers 410 once the version is yanked, whatever ETag the client sends', async () => {
    const { store, ask } = await published();
    const etag = (await ask({})).headers.get('etag') ?? '';
    await store.admin('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', { reason: 'Leaks.' });
    for (const headers of [
      { range: 'bytes=0-1' },
      { range: 'bytes=0-1', 'if-range': etag },
      { 'if-none-match': etag },
    ])
      expect(await bodyOf(ask(headers))).toMatchObject({ httpStatus: 410, code: 'yanked' });
  });

  it('can be requested and read by pages of other origins', async () => {
    const { ask } = await published();
    const asked = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const preflight = await ask({ ...asked, 'access-control-request-headers': 'if-range,range' }, 'OPTIONS');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('if-range,range');
    const exposed = (await ask({ range: 'bytes=0-1' })).headers.get('access-control-expose-headers');
    expect(exposed?.split(',')).toEqual(expect.arrayContaining(['Content-Range', 'Accept-Ranges', 'ETag']));
  });

  it('is also possible for a picture', async () => {
    const { ask } = await published();
    const path = PATH.replace('/bundle', '/files/assets/icon.png');
    const part = await ask({ range: 'bytes=1-3' }, 'GET', path);
    expect([part.status, (await bytesOf(part)).toString()]).toEqual([206, 'PNG']);
  });
});

/** The files in a folder that this process has open. */
async function openFilesUnder(folder: string): Promise<string[]> {
  const handles = await readdir('/proc/self/fd');
  const files = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
  );
  return files.filter((file) => file.startsWith(folder));
}

describe('a large bundle over a real socket', () => {
  /** A store with a bundle that exceeds the buffers of a socket, and its URL. */
  async function listening() {
    const store = await openTestStore();
    const noise = Buffer.alloc(8 * 1024 * 1024);
    for (let n = 0; n < noise.byteLength; n += 4) noise.writeUInt32LE(Math.imul(n, 2_654_435_761) >>> 0, n);
    const bundle = sampleBundle({}, { 'assets/noise.bin': noise });
    await store.upload(await store.publisherToken(), bundle);
    await store.decide('approve', '1.0.0');
    const server = await listen(store, 0, '127.0.0.1');
    onTestFinished(() => server.close());
    return { store, bundle, url: `http://127.0.0.1:${server.port}${PATH}` };
  }

  it('is sent completely, and in two halves', async () => {
    const { bundle, url } = await listening();
    const half = Math.floor(bundle.byteLength / 2);
    const [whole, first, second] = await Promise.all(
      [{}, { range: `bytes=0-${half - 1}` }, { range: `bytes=${half}-` }].map(async (headers) => {
        const answer = await fetch(url, { headers: headers as Record<string, string> });
        expect(answer.headers.get('x-request-id')).toMatch(/./);
        return bytesOf(answer);
      }),
    );
    expect(whole?.equals(bundle)).toBe(true);
    expect(Buffer.concat([first as Buffer, second as Buffer]).equals(bundle)).toBe(true);
  });

  it(
    'is closed when a client disconnects',
    needs(process.platform === 'linux', 'needs /proc, which Linux has'),
    async () => {
      const { store, bundle, url } = await listening();
      const leave = () =>
        new Promise<void>((left) => {
          const outgoing = request(url, (answer) => void answer.once('data', () => outgoing.destroy()));
          outgoing.on('error', () => {}).on('close', left);
          outgoing.end();
        });
      await Promise.all(Array.from({ length: 5 }, leave));
      await expect.poll(() => openFilesUnder(join(store.folder, 'blobs'))).toEqual([]);
      expect((await bytesOf(await fetch(url))).equals(bundle)).toBe(true);
    },
  );
});

describe('a range of 10 bytes', () => {
  it.each([
    ['bytes=0-0', { offset: 0, length: 1 }],
    ['bytes=2-4', { offset: 2, length: 3 }],
    ['bytes=2-', { offset: 2, length: 8 }],
    ['bytes=0-', { offset: 0, length: 10 }],
    ['bytes=9-9', { offset: 9, length: 1 }],
    ['bytes=5-99999', { offset: 5, length: 5 }],
    ['bytes=-3', { offset: 7, length: 3 }],
    ['bytes=-99', { offset: 0, length: 10 }],
    ['BYTES= 2-4 ', { offset: 2, length: 3 }],
  ])('is partial: %s', (header, part) => {
    expect(readRange(header, 10)).toEqual(part);
  });

  it.each(['bytes=10-', 'bytes=10-10', 'bytes=999999999999999-', 'bytes=-0'])(
    'is unsatisfiable: %s',
    (header) => {
      expect(readRange(header, 10)).toBe('unsatisfiable');
    },
  );

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=4-2',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1-2-3',
    'bytes=--3',
    'bytes=1.5-2',
    'bytes=0-1,4-5',
    'bytes=0-0,0-0,0-0,0-0',
    'bytes 0-1',
    'items=0-1',
    `bytes=0-${'9'.repeat(400)}`,
    'bytes=1-٣',
  ])('is ignored, so that all bytes are sent: %s', (header) => {
    expect(readRange(header, 10)).toBe('whole');
  });

  it('never exceeds the size', () => {
    const header = fc.oneof(
      fc.tuple(fc.nat(), fc.option(fc.nat())).map(([a, b]) => `bytes=${a}-${b ?? ''}`),
      fc.nat().map((count) => `bytes=-${count}`),
      fc.stringMatching(/^bytes=[0-9, -]*$/),
    );
    fc.assert(
      fc.property(header, fc.nat(100), (range, size) => {
        const part = readRange(range, size);
        if (typeof part === 'string') return;
        expect(part.offset).toBeGreaterThanOrEqual(0);
        expect(part.length).toBeGreaterThan(0);
        expect(part.offset + part.length).toBeLessThanOrEqual(size);
      }),
    );
  });
});

describe('If-Range', () => {
  it('matches only the same strong ETag', () => {
    expect([undefined, '"a"', ' "a" '].map((tag) => matchesIfRange(tag, '"a"'))).toEqual([true, true, true]);
    const others = ['"b"', 'W/"a"', 'a', '', '"a", "b"', 'Sun, 01 Mar 2026 12:00:00 GMT'];
    expect(others.filter((tag) => matchesIfRange(tag, '"a"'))).toEqual([]);
  });
});
