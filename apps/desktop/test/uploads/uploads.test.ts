import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { heic } from '../../../../packages/runtime/test/support/heic.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import type { Session } from '../../src/sessions/sessions.ts';
import { createUploads, type Upload } from '../../src/uploads/uploads.ts';
import { ask } from '../support/ask.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

function sessionOf(id: string) {
  const end = new AbortController();
  return { session: { id, ended: end.signal } as Session, end };
}

/** A request whose body is a stream of the test. */
function exchangeOf(body: Readable): Exchange {
  const request = Object.assign(body, { headers: {} }) as unknown as IncomingMessage;
  return { request, query: new URLSearchParams({ name: 'a.txt' }) } as Exchange;
}

const MiB = 1024 * 1024;

it('deletes the files of a session when it ends', async () => {
  const uploads = createUploads({ randomBytes });
  const { session, end } = sessionOf('s-1');
  const { id } = await uploads.receive(exchangeOf(Readable.from([Buffer.from('a')])), session);
  expect(uploads.get(session, id).bytes).toEqual(Buffer.from('a'));
  end.abort();
  expect(() => uploads.get(session, id)).toThrow(expect.objectContaining({ code: 'unknown-file' }));
});

it('rejects an upload when its session ends before the upload does', async () => {
  const uploads = createUploads({ randomBytes });
  const { session, end } = sessionOf('s-1');
  const body = new Readable({ read() {} });
  const taking = uploads.receive(exchangeOf(body), session);
  end.abort(new Error('The session has ended.'));
  body.push('a');
  body.push(null);
  await expect(taking).rejects.toThrow('The session has ended.');
});

it('limits the total size of all files, and deletes the oldest first', async () => {
  const uploads = createUploads({ randomBytes });
  const { session } = sessionOf('s-1');
  const large = Buffer.alloc(70 * MiB);
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1)
    ids.push((await uploads.receive(exchangeOf(Readable.from([large])), session)).id);
  expect(() => uploads.get(session, ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'unknown-file' }));
  expect(uploads.get(session, ids[4] ?? '').bytes.length).toBe(large.length);
});

it('reads no more of an import of 500 MB than an upload may have, whether its length is declared or not', async () => {
  const uploads = createUploads({ randomBytes });
  const { session } = sessionOf('s-1');
  const piece = Buffer.alloc(4 * MiB);
  for (const declared of [true, false]) {
    let pieces = 0;
    const body = Readable.from(
      (function* () {
        for (; pieces < 125; pieces += 1) yield piece;
      })(),
    );
    const exchange = exchangeOf(body);
    if (declared) exchange.request.headers['content-length'] = String(500 * MiB);
    await expect(uploads.receive(exchange, session)).rejects.toMatchObject({ status: 413 });
    expect(pieces).toBeLessThan(declared ? 5 : 40);
  }
});

it('accepts four concurrent uploads, and more when those are complete', async () => {
  const uploads = createUploads({ randomBytes });
  const { session } = sessionOf('s-1');
  const bodies = Array.from({ length: 4 }, () => new Readable({ read() {} }));
  const taking = bodies.map((body) => uploads.receive(exchangeOf(body), session));
  const more = () => uploads.receive(exchangeOf(Readable.from([Buffer.from('b')])), session);
  await expect(more()).rejects.toMatchObject({ status: 429 });
  for (const body of bodies) body.push(null);
  await Promise.all(taking);
  await more();
});

it('has the limits that the page says on adding a file', async () => {
  expect(await import('../../page/src/chat/limits.ts')).toEqual(await import('../../src/wire/limits.ts'));
});

it('converts a photo of a message to JPEG in the process of media, and leaves any other upload alone', async () => {
  const desktop = await openTestDesktop();
  const { bearer, upload, call, get } = await openPage(desktop);
  const bytes = heic();
  const send = async (name: string, body: Uint8Array) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const path = `/uploads?name=${name}&show=yes`;
    return (await ask(desktop.port, { method: 'POST', path, headers, body })).json() as Upload;
  };
  expect((await upload('IMG_1.HEIC', bytes)).json()).toMatchObject({
    name: 'IMG_1.HEIC',
    type: 'image/heic',
  });
  const shown = await send('IMG_1.HEIC', bytes);
  expect(shown).toMatchObject({ name: 'IMG_1.jpg', type: 'image/jpeg' });
  await call('chats.saveDraft', { project: 'project-1', text: '', files: [shown.id] });
  expect((await get(`/attachments/${shown.id}`)).body.subarray(0, 3)).toEqual(Buffer.from('ffd8ff', 'hex'));
  // What is no picture inside stays as it is.
  expect(await send('broken.heic', bytes.subarray(0, 300))).toMatchObject({
    name: 'broken.heic',
    bytes: 300,
  });
});
