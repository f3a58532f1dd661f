import { randomBytes } from 'node:crypto';
import { apiRequest } from '@svc/contracts/client';
import type { Ask } from '@svc/runtime';
import { checkUpdates, createRevocationWatch } from '@svc/runtime/parts';
import { DEEP, needsS3, sampleBundle, startS3Server } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { openWorld, system } from '../packages/runtime/test/support/world.ts';
import { startFilledStore } from './support/filled-store.ts';

const APP = 'com.example.notes';

/** Starts a real store with the publisher of the app. */
async function startStore(settings: Record<string, string> = {}) {
  const { url, automation, program } = await startFilledStore(settings);
  return {
    ...automation,
    url,
    program,
    publish: (...app: Parameters<typeof sampleBundle>) => automation.upload(sampleBundle(...app)),
    approve: (version: string) => automation.approve({ appId: APP, version }),
  };
}

const refuseToAsk = async (): Promise<never> => {
  throw new Error('Nobody should have been asked.');
};

it(
  'a client installs from a real store, updates, asks about an update with new permissions, and disables a yanked version',
  DEEP,
  async () => {
    const store = await startStore();
    const client = await openWorld(store);
    const { library, installer, heard } = client;
    const signal = new AbortController().signal;
    // A store serves cached responses for up to a second after a change.
    const listed = (entry: object) => expect.poll(() => client.reader.detail(APP)).toMatchObject(entry);

    expect(await store.publish()).toMatchObject({ status: 'in_review' });
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ detail: { code: 'not_found' } });
    await store.approve('1.0.0');
    expect((await client.reader.search({ q: 'notes' })).apps).toMatchObject([{ appId: APP }]);
    expect(await client.install()).toMatchObject({ version: '1.0.0', on: true });

    await store.publish({ version: '1.1.0' });
    await listed({ version: '1.1.0' });
    expect(await checkUpdates({ ...client, decide: { ask: refuseToAsk } }, signal)).toMatchObject([
      { outcome: 'updated', to: '1.1.0' },
    ]);

    const remote = {
      mcpUrl: 'https://mcp.example.com/mcp',
      domains: ['api.example.com', 'more.example.com'],
    };
    await store.publish({ version: '1.2.0', remote });
    await store.approve('1.2.0');
    await listed({ version: '1.2.0' });
    const asked: unknown[] = [];
    const ask: Ask = async (card) => {
      asked.push(card);
      return { accepted: true, binding: 'binding' in card ? card.binding : '' };
    };
    expect(await checkUpdates({ ...client, decide: { ask } }, signal)).toMatchObject([
      { outcome: 'updated', to: '1.2.0' },
    ]);
    expect(asked).toMatchObject([{ kind: 'consent', widened: { domainsAdded: ['more.example.com'] } }]);

    const onFault = (error: unknown) => {
      throw error;
    };
    const watch = createRevocationWatch({ ...client, system: { ...system, now: Date.now }, onFault });
    expect(await watch.check()).toMatchObject({ refused: null, stale: false });
    await store.yank({ appId: APP, version: '1.2.0' }, 'It lost notes.');
    expect(await watch.check()).toMatchObject({ refused: null });
    expect(heard.at(-1)).toEqual({
      type: 'app-yanked',
      appId: APP,
      version: '1.2.0',
      reason: 'It lost notes.',
    });
    expect(() => library.requireUsable(APP)).toThrow(expect.objectContaining({ code: 'yanked' }));

    await store.ask(
      apiRequest('POST /api/admin/apps/:appId/versions/:version/unyank', {
        params: { appId: APP, version: '1.2.0' },
        json: { reason: 'It did not.' },
      }),
    );
    await watch.check();
    library.switch(APP, true);
    expect(library.requireUsable(APP)).toMatchObject({ version: '1.2.0' });
  },
);

it('a client installs a bundle by a redirect to the bucket of its store', {
  ...needsS3(),
  ...DEEP,
}, async () => {
  const s3 = await startS3Server();
  onTestFinished(() => s3.stop());
  const store = await startStore({
    SVC_BLOBS: `s3://${s3.bucket}?endpoint=${s3.endpoint}`,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    SVC_BUNDLE_REDIRECT: '60',
    LOG_LEVEL: 'debug',
  });
  await store.publish({}, { 'assets/noise.bin': randomBytes(400_000) });
  await store.approve('1.0.0');
  const client = await openWorld(store);
  expect(await client.install()).toMatchObject({ version: '1.0.0', on: true });
  // The store sent a signed URL, which is not in the log.
  const log = () => store.program.output.out + store.program.output.err;
  await expect.poll(log).toMatch(/bundle","status":307/);
  expect(log()).not.toMatch(/X-Amz|Signature|bundle","status":200/i);
});
