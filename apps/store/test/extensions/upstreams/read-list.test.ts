import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { APP, carrying, type Lie } from './support.ts';

const MINUTE = 60_000;
const HEAD = '/api/revocations/head';
const SEGMENT = '/api/revocations/segments/';
const WHOLE = '/api/apps/revocations';
const FOLLOWING = 'Following upstreams';

/** How many versions are yanked, so that the list has segments: more than are in none. */
const YANKS = 70;

/** A company that follows an upstream with a list in parts. */
async function following() {
  const world = await carrying();
  const { origin, company, later } = world;
  later(MINUTE);
  const versions = Array.from({ length: YANKS }, (_, n) => `2.0.${n}`);
  for (const version of versions) await origin.publish(origin.token, { id: APP, version });
  const yank = (version: string) =>
    origin.admin('POST', `/api/apps/${APP}/versions/${version}/yank`, { reason: 'It lost notes.' });
  for (const version of versions) await yank(version);
  origin.asked.length = 0;
  await company.runJob(FOLLOWING);
  const asked = () => origin.asked.splice(0).map((path) => path.split('?')[0] ?? '');
  return { ...world, yank, asked };
}

describe('the list of an upstream', () => {
  it('is read in parts: the head alone where nothing is new, and the whole never', async () => {
    const { company, asked, later, yank } = await following();
    const first = asked();
    expect(first[0]).toBe(HEAD);
    expect(first.filter((path) => path.startsWith(SEGMENT)).length).toBeGreaterThan(0);
    expect(first).not.toContain(WHOLE);
    await company.runJob(FOLLOWING);
    expect(asked()).toEqual([HEAD]);
    later(MINUTE);
    await yank('1.0.0');
    await company.runJob(FOLLOWING);
    const then = asked();
    expect(then[0]).toBe(HEAD);
    expect(then).not.toContain(WHOLE);
    expect((await company.stores.versions.find({ appId: APP, version: '1.0.0' }))?.state).toBe('yanked');
    // The list is signed again each hour, with the same entries.
    later(61 * MINUTE);
    await company.runJob(FOLLOWING);
    expect(asked()).toEqual([HEAD]);
  });

  it.each<[string, Lie, string | null]>([
    [
      'of other bytes than their names say',
      async (path) => (path.startsWith(SEGMENT) ? new Response('[]') : undefined),
      null,
    ],
    [
      'without an end',
      (path) =>
        path.startsWith(SEGMENT)
          ? new Response(new ReadableStream({ pull: (s) => s.enqueue(new Uint8Array(65_536)) }))
          : undefined,
      null,
    ],
    [
      'that are missing',
      (path) => (path.startsWith(SEGMENT) ? new Response('', { status: 404 }) : undefined),
      null,
    ],
    [
      'and as a whole of which one entry is cut',
      async (path, own) => {
        if (path.startsWith(SEGMENT)) return new Response('', { status: 404 });
        if (path !== WHOLE) return undefined;
        const list = (await (await own()).json()) as { entries: unknown[] };
        return Response.json({ ...list, entries: list.entries.slice(1) });
      },
      'not-verified',
    ],
  ])('in parts %s has no effect that the upstream did not sign', DEEP, async (_what, lie, failure) => {
    const world = await carrying();
    const { origin, company, later, upstream } = world;
    later(MINUTE);
    for (let n = 0; n < YANKS; n += 1) {
      await origin.publish(origin.token, { id: APP, version: `2.0.${n}` });
      await origin.admin('POST', `/api/apps/${APP}/versions/2.0.${n}/yank`, { reason: 'Bad.' });
    }
    await origin.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'Bad.' });
    origin.lie(lie);
    await company.runJob(FOLLOWING);
    expect((await upstream()).failure?.code ?? null).toBe(failure);
    const state = (await company.stores.versions.find({ appId: APP, version: '1.0.0' }))?.state;
    expect(state).toBe(failure === null ? 'yanked' : 'published');
  });
});
