import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/test-store.ts';
import { APP, addUpstream, carrying, type Lie, turn } from './support.ts';

const MINUTE = 60_000;

/** What a store answers at some paths now, to be served later. */
async function recorded(
  store: { call(method: string, path: string): Response | Promise<Response> },
  paths: string[],
): Promise<Lie> {
  const answers = new Map<string, { bytes: ArrayBuffer; headers: Headers }>();
  for (const path of paths) {
    const answer = await store.call('GET', path);
    answers.set(path.split('?')[0] as string, { bytes: await answer.arrayBuffer(), headers: answer.headers });
  }
  return (path) => {
    const answer = answers.get(path);
    return answer && new Response(answer.bytes, { headers: answer.headers });
  };
}

describe('a yank', () => {
  it(
    'reaches a version that is carried after its list came, from an older head',
    BOTH_DATABASES,
    async () => {
      const { origin, company, later } = await carrying();
      later(MINUTE);
      await origin.publish(origin.token, { id: APP, version: '1.1.0' });
      const paths = [`/api/apps/${APP}/head?list=1`, `/api/apps/${APP}/versions/1.1.0/bundle`];
      const before = await recorded(origin, paths);
      await origin.admin('POST', `/api/apps/${APP}/versions/1.1.0/yank`, { reason: 'It lost notes.' });
      await company.runJob('Following upstreams');
      origin.lie(before);
      const state = async () =>
        (await company.stores.versions.find({ appId: APP, version: '1.1.0' }))?.state ?? null;
      expect(await state()).toBe(null);
      await company.runJob('Carrying apps of upstreams');
      expect(await state()).toBe('published');
      await company.runJob('Following upstreams');
      expect(await state()).toBe('yanked');
    },
  );

  it('reaches what was carried before the upstream was removed and added again', BOTH_DATABASES, async () => {
    const { origin, company, id, later } = await carrying();
    await company.admin('DELETE', `/api/admin/upstreams/${id}`);
    later(MINUTE);
    await origin.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
    await addUpstream(company, origin.address, { which: 'chosen' });
    await turn(company);
    expect((await company.stores.versions.find({ appId: APP, version: '1.0.0' }))?.state).toBe('yanked');
    const { entries } = await bodyOf(company.call('GET', '/api/apps/revocations'));
    expect(entries).toMatchObject([{ appId: APP, version: '1.0.0' }]);
  });
});
