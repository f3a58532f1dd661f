import { upstreamQueries } from '../../../src/extensions/upstreams/commands.ts';
import type { Exercise } from '../../support/plans/exercise.ts';

const AT = '2026-01-01T00:00:00.000Z';
const KEY = { keyId: 'ed25519-0123456789abcdef', publicKeyPem: 'pem' };
const CHOICES = { which: 'all', apps: [], categories: [], how: 'all', grants: [] } as const;

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { upstreams } = report(upstreamQueries(db));
  const id = '0123abcd';
  const choices = { ...CHOICES, apps: [], categories: [], grants: [] };
  const file = { signers: [], last: null };
  const fresh = {
    list: null,
    listTag: null,
    readUntil: null,
    reachedAt: null,
    failure: null,
    failingSince: null,
    file,
  };
  await upstreams.add({
    id,
    address: 'https://apps.example.org',
    keys: [KEY],
    choices,
    addedAt: AT,
    ...fresh,
  });
  await upstreams.list();
  await upstreams.find(id);
  await upstreams.choose(id, choices);
  await upstreams.follow(id, [KEY], [KEY, KEY]);
  await upstreams.pin(id, [KEY], file);
  await upstreams.keepFile(id, file, { ...file, signers: [KEY] });
  const list = { signedAt: AT, entriesHash: 'hash', keyId: KEY.keyId };
  await upstreams.replaceList(id, null, list);
  await upstreams.replaceList(id, list, list);
  await upstreams.tagList(id, '"tag"');
  await upstreams.readTo(id, AT);
  await upstreams.reached(id, AT);
  await upstreams.fails(id, { code: 'unreachable', message: 'It is away.' }, AT);
  await upstreams.works(id);
  await upstreams.lead(id, 'process', new Date(AT));
  await upstreams.lookSoon(id, ['com.example.notes']);
  await upstreams.takeTurn(id, new Date(AT));
  await upstreams.renewTurn(id, new Date(AT));
  await upstreams.endTurn(id);
  const app = {
    appId: 'com.example.notes',
    version: '1.0.0',
    state: 'carried',
    note: '',
    checkedAt: AT,
  } as const;
  await upstreams.keepApp(id, { ...app, head: null });
  await upstreams.app(id, app.appId);
  await upstreams.appsOf(id, [app.appId]);
  await upstreams.appsAfter(id, '', 10);
  await upstreams.dueApps(id, AT, 10);
  await upstreams.countApps(id);
  await upstreams.moves(app);
  await upstreams.yanked([app.appId]);
  await upstreams.hold(app.appId, 'gone');
  await upstreams.hold(app.appId, null);
  const publishers = await upstreams.publishersOf('https://apps.example.org');
  await upstreams.isHeld([...publishers, 'none--0123abcd'], 'silent');
  await upstreams.holdAll(['none--0123abcd'], null, 'silent');
  await upstreams.bundlesOf([app.appId]);
  await upstreams.remove(id);
};
