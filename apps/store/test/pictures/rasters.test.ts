import { createHash } from 'node:crypto';
import { sampleBundle } from '@svc/testkit';
import { expect, it } from 'vitest';
import { createProcessRenderer } from '../../src/adapters/picture/process-renderer.ts';
import type { Drawing } from '../../src/pictures/picture-renderer.ts';
import { Unavailable } from '../../src/platform/unavailable.ts';
import { bodyOf, openTestStore } from '../support/test-store.ts';

/** A mark of its own, so that no drawing of another test is kept for it. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512"/><title>${createHash('sha256').update('refused').digest('hex')}</title></svg>`;
const bundle = () => sampleBundle({}, { 'assets/mark.svg': MARK });

async function publishWith(draw: () => Promise<Drawing>) {
  const store = await openTestStore({ ambient: { pictures: { draw } } });
  const answer = await store.upload(await store.publisherToken(), bundle());
  const blobs = await store.filesUnder('blobs');
  return { answer, blobs };
}

it('a picture that the process ends at its limit is refused with the issue, and nothing is kept', async () => {
  // Real limits of the process, so small that any drawing is over them.
  const renderer = createProcessRenderer({ maxCpuMs: 0 });
  try {
    const { answer, blobs } = await publishWith(() => renderer.draw(Buffer.from(MARK)));
    expect(answer.status).toBe(422);
    expect(await bodyOf(Promise.resolve(answer))).toMatchObject({
      code: 'validation_failed',
      issues: expect.arrayContaining([
        expect.objectContaining({ code: 'branding.mark.script', level: 'error', path: '/branding/mark' }),
      ]),
    });
    expect(blobs).toEqual([]);
  } finally {
    await renderer.close();
  }
});

it('a process that ends by itself, or does not answer, is no fault of the picture: 503', async () => {
  const { answer, blobs } = await publishWith(() =>
    Promise.reject(new Unavailable('Drawing a picture failed.')),
  );
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await bodyOf(Promise.resolve(answer))).toMatchObject({ code: 'unavailable' });
  expect(blobs).toEqual([]);
});

it('a drawing process that does not answer in time is ended, and the next picture is drawn', async () => {
  const renderer = createProcessRenderer({ maxWaitMs: 0 });
  try {
    await expect(renderer.draw(Buffer.from(MARK))).rejects.toBeInstanceOf(Unavailable);
  } finally {
    await renderer.close();
  }
});
