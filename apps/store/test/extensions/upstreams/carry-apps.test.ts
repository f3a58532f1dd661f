import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/test-store.ts';
import { APP, addUpstream, companyStore, publicStore, turn } from './support.ts';

describe('an app whose answer cannot be read', () => {
  it('keeps no other app back, and is named until it can be read', async () => {
    const origin = await publicStore();
    for (const id of ['com.example.first', 'com.example.second', 'org.example.last']) {
      await origin.publish(origin.token, { id });
      await origin.decide('approve', '1.0.0', {}, id);
    }
    const company = await companyStore();
    await addUpstream(company, origin.address);
    origin.lie((path) => (path === '/api/apps/com.example.first' ? new Response('<html>') : undefined));
    await turn(company);
    const listed = async () =>
      (await bodyOf(company.call('GET', '/api/apps/catalog'))).apps
        .map(({ appId }: { appId: string }) => appId)
        .sort();
    const upstream = async () => (await bodyOf(company.admin('GET', '/api/admin/upstreams'))).upstreams[0];
    expect(await listed()).toEqual([APP, 'com.example.second', 'org.example.last']);
    expect((await upstream()).failure).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('com.example.first'),
    });
    origin.lie(() => undefined);
    await turn(company);
    expect(await listed()).toContain('com.example.first');
    expect((await upstream()).failure).toBe(null);
  });

  it('is passed over when its id is none', async () => {
    const origin = await publicStore();
    const company = await companyStore();
    const id = await addUpstream(company, origin.address);
    origin.lie(async (path, own) => {
      if (path !== '/api/apps/catalog') return undefined;
      const page = (await (await own()).json()) as { apps: object[] };
      const apps = ['x'.repeat(100_000), '../../admin', 'Com.Example.Notes', ''].map((appId) => ({
        ...page.apps[0],
        appId,
      }));
      return Response.json({ ...page, apps: [...apps, ...page.apps] });
    });
    await turn(company);
    const { apps } = await bodyOf(company.admin('GET', `/api/admin/upstreams/${id}/apps`));
    expect(apps).toMatchObject([{ appId: APP, state: 'carried' }]);
  });
});
