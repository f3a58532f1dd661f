import { createHash } from 'node:crypto';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProcessRenderer } from '../../../src/adapters/picture/process-renderer.ts';
import type { Candidate } from '../../../src/core/domain/versions/inspect-bundle.ts';
import { createRasters } from '../../../src/core/pictures/rasters.ts';
import { UPLOAD_BOUNDS } from '../../../src/core/publishing/bounds.ts';
import type { BlobStore } from '../../../src/platform/blob-store.ts';
import type { GateLimits } from '../../../src/platform/gate.ts';
import type { Drawing, PictureRenderer } from '../../../src/platform/picture-renderer.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

/** A unique mark, which no other test has cached. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512"/><title>${createHash('sha256').update('refused').digest('hex')}</title></svg>`;
const bundle = () => sampleBundle({}, { 'assets/mark.svg': MARK });

async function publishWith(draw: () => Promise<Drawing>) {
  const store = await openTestStore({ ambient: { pictures: { draw } } });
  const answer = await store.upload(await store.publisherToken(), bundle());
  const blobs = await store.filesUnder('blobs');
  return { answer, blobs };
}

it('a picture that exceeds the limits of the renderer is rejected with an issue, and no blobs are stored', async () => {
  // Real limits of the process, which any drawing exceeds.
  const renderer = createProcessRenderer({ maxCpuMs: 0 });
  try {
    const { answer, blobs } = await publishWith(() => renderer.draw(Buffer.from(MARK)));
    expect(answer.status).toBe(422);
    expect(await bodyOf(Promise.resolve(answer))).toMatchObject({
      code: 'validation_failed',
      issues: expect.arrayContaining([
        expect.objectContaining({ code: 'branding.mark.svg', level: 'error', path: '/branding/mark' }),
      ]),
    });
    expect(blobs).toEqual([]);
  } finally {
    await renderer.close();
  }
});

it.each([
  ['mark', 'branding.mark.svg'],
  ['icon', 'branding.icon.type'],
] as const)(
  'a small %s that repeats itself a million times is refused when it is drawn',
  async (role, code) => {
    const groups = Array.from(
      { length: 40 },
      (_, at) => `<g id="a${at + 1}"><use href="#a${at}"/><use href="#a${at}"/></g>`,
    );
    const steps = '<feTurbulence numOctaves="10" baseFrequency=".9"/>'.repeat(90);
    const bomb = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><filter id="f">${steps}</filter><g id="a0"><rect width="512" height="512" filter="url(#f)"/></g>${groups.join('')}</svg>`;
    const renderer = createProcessRenderer();
    onTestFinished(() => renderer.close());
    const store = await openTestStore({ ambient: { pictures: renderer } });
    const icon = role === 'icon' ? { branding: { icon: 'assets/icon.svg' } } : {};
    const upload = sampleBundle(icon, { [`assets/${role}.svg`]: bomb });
    const answer = await store.upload(await store.publisherToken(), upload);
    expect(answer.status).toBe(422);
    expect((await bodyOf(Promise.resolve(answer))).issues).toContainEqual(
      expect.objectContaining({ code, level: 'error', path: `/branding/${role}` }),
    );
  },
);

it('a failure of the renderer answers 503', async () => {
  const { answer, blobs } = await publishWith(() =>
    Promise.reject(new UnavailableError('Drawing a picture failed.')),
  );
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await bodyOf(Promise.resolve(answer))).toMatchObject({ code: 'unavailable' });
  expect(blobs).toEqual([]);
});

const PNG: Drawing = { ok: true, png: Uint8Array.of(1), look: null };
const markOf = (name: string) => MARK.replace('<title>', `<title>${name}: `);

/** A renderer that draws marks when the test calls `finishOne`, and everything else at once. Records the order of the marks. */
function slowRenderer() {
  const asked: string[] = [];
  const pending: (() => void)[] = [];
  const draw = (bytes: Uint8Array): Promise<Drawing> => {
    const [, name] = /<title>(\w+): /.exec(Buffer.from(bytes).toString('latin1')) ?? [];
    if (name === undefined) return Promise.resolve(PNG);
    asked.push(name);
    return new Promise((resolve) => pending.push(() => resolve(PNG)));
  };
  return { asked, draw, finishOne: () => pending.shift()?.() };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('an account with many pictures', () => {
  const candidate = (name: string) =>
    ({
      manifest: { branding: { mark: 'mark.svg' } },
      pictures: [{ path: 'mark.svg', type: 'image/svg+xml', bytes: Buffer.from(markOf(name)) }],
    }) as unknown as Candidate;
  const requester = (account: string) => ({ account, network: account });
  const rastersOf = (draw: PictureRenderer['draw'], limits: GateLimits = UPLOAD_BOUNDS.drawings) =>
    createRasters({
      renderer: { draw, drawSmall: async () => ({ ok: false, why: 'not here' }) },
      cache: { get: async () => null, put: async () => undefined },
      blobs: {} as BlobStore,
      limits,
    });

  it('waits while the picture of another account is drawn first', async () => {
    const { asked, draw, finishOne } = slowRenderer();
    const rasters = rastersOf(draw);
    const flood = Array.from({ length: 15 }, (_, n) =>
      rasters.requireDrawable(candidate(`flood${n}`), requester('flood')),
    );
    const honest = rasters.requireDrawable(candidate('honest'), requester('honest'));
    await settle();
    expect(asked).toEqual(['flood0']);
    finishOne();
    await settle();
    expect(asked).toEqual(['flood0', 'honest']);
    finishOne();
    await honest;
    for (let n = 1; n < 15; n += 1) {
      await settle();
      finishOne();
    }
    await Promise.all(flood);
  });

  it('cannot fill the queue', async () => {
    const { draw, finishOne } = slowRenderer();
    const rasters = rastersOf(draw);
    const { perAccount, waiting } = UPLOAD_BOUNDS.drawings;
    const flood = Array.from({ length: waiting + 1 }, (_, n) =>
      rasters.requireDrawable(candidate(`flood${n}`), requester('flood')),
    );
    const outcomes = Promise.allSettled(flood);
    const honest = rasters.requireDrawable(candidate('honest'), requester('honest'));
    for (let n = 0; n < perAccount.waiting + 2; n += 1) {
      await settle();
      finishOne();
    }
    await honest;
    const refused = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(waiting - perAccount.waiting);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'rate_limited', extras: { retryAfter: 5 } });
  });

  it('gets 429 while the store accepts the upload of another account', async () => {
    const { asked, draw, finishOne } = slowRenderer();
    const one = { active: 1, waiting: 0 };
    const drawings = { active: 1, waiting: 9, perAccount: one, perNetwork: { active: 1, waiting: 9 } };
    const store = await openTestStore({ ambient: { pictures: { draw } }, uploadBounds: { drawings } });
    const publish = (token: string, publisher: string, name: string) =>
      store.upload(
        token,
        sampleBundle({ publisher, id: `org.${name}.app` }, { 'assets/mark.svg': markOf(name) }),
      );
    const [flood, honest] = [await store.publisherToken('flood'), await store.publisherToken('honest')];
    const first = publish(flood, 'flood', 'flooda');
    await expect.poll(() => asked).toEqual(['flooda']);
    const second = await publish(flood, 'flood', 'floodb');
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(second.headers.get('ratelimit')).not.toBeNull();
    const other = publish(honest, 'honest', 'honest');
    finishOne();
    expect((await first).status).toBe(201);
    await expect.poll(() => asked).toEqual(['flooda', 'honest']);
    finishOne();
    expect((await other).status).toBe(201);
  });
});
