import { expect, it } from 'vitest';
import { openPage } from '../apps/desktop/test/support/test-desktop.ts';
import { openWorld } from './support/gateway-world.ts';

const APP = 'com.example.notes';

it('shows the verified facts of an app, even when its store changes them later', async () => {
  const before = Date.now();
  const { opened, store, runtime, origin } = await openWorld({});
  const [published] = [...store.state.published.values()];
  const { sha256, keyId, publishedAt } = published?.release ?? expect.fail();
  const page = await openPage({ opened, port: Number(new URL(origin).port) });
  const shown = async () => (await page.call('apps.list', { project: 'project-1' })).body.apps[0]?.source;
  const source = await shown();
  expect(source).toEqual({
    ...{ kind: 'store', store: store.url, sha256, keyId, publishedAt },
    installedAt: expect.any(String),
  });
  const { installedAt = '' } = source?.kind === 'store' ? source : {};
  expect(Date.parse(installedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(installedAt)).toBeLessThanOrEqual(Date.now());

  // The catalogue now has another hash, key and date for the same version.
  const { versions, ...detail } = (await (await fetch(`${store.url}/api/apps/${APP}`)).json()) as {
    versions: object[];
  };
  const lie = { sha256: 'f'.repeat(64), keyId: 'ed25519-evil', publishedAt: '2030-01-01T00:00:00.000Z' };
  store.lie(`/api/apps/${APP}`, (response) => {
    const told = {
      ...detail,
      publishedAt: lie.publishedAt,
      versions: versions.map((one) => ({ ...one, ...lie })),
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  });
  expect((await page.call('store.app', { appId: APP })).body.versions[0]).toMatchObject(lie);
  await runtime.update(AbortSignal.timeout(30_000));
  expect(await shown()).toEqual(source);

  // An update has its own record.
  store.lie(`/api/apps/${APP}`, null);
  const { release } = store.publish({ version: '1.1.0' });
  await runtime.update(AbortSignal.timeout(30_000));
  expect(await shown()).toMatchObject({ sha256: release.sha256, keyId });
});
