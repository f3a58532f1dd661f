import type { AdapterPayload } from 'oidc-provider';
import { expect, it } from 'vitest';
import { openDatabase } from '../../server/database.ts';
import { recordsIn } from '../../server/sign-in/records.ts';

const CLIENT: AdapterPayload = { client_name: 'x' };

it('limits the number of clients, and removes unused ones when space is needed', async () => {
  const database = openDatabase(null);
  const [clients, grants] = ['Client', 'Grant'].map(recordsIn(database));
  for (let n = 0; n < 500; n += 1) await clients?.upsert(`c${n}`, CLIENT, 0);
  await grants?.upsert('g', { clientId: 'c1', accountId: 'ada' }, 3600);
  await expect(clients?.upsert('late', CLIENT, 0)).rejects.toMatchObject({ status: 503 });
  database.exec('update records set made_at = made_at - 3601');
  await clients?.upsert('late', CLIENT, 0);
  expect(await clients?.find('c0')).toBeUndefined();
  expect(await clients?.find('c1')).toMatchObject(CLIENT);
  expect(await clients?.find('late')).toMatchObject(CLIENT);
});

it('does not return expired records, and marks used ones', async () => {
  const database = openDatabase(null);
  const tokens = recordsIn(database)('RefreshToken');
  await tokens.upsert('t', { grantId: 'g', clientId: 'c' }, 60);
  expect(await tokens.find('t')).toEqual({ grantId: 'g', clientId: 'c', jti: 't' });
  await tokens.consume('t');
  expect(await tokens.find('t')).toMatchObject({ consumed: expect.any(Number) });
  database.exec('update records set expires_at = expires_at - 61');
  expect(await tokens.find('t')).toBeUndefined();
});

it('removes only the records of one grant', async () => {
  const tokens = recordsIn(openDatabase(null))('AccessToken');
  await tokens.upsert('a', { grantId: 'g' }, 60);
  await tokens.upsert('b', { grantId: 'h' }, 60);
  await tokens.revokeByGrantId('g');
  expect(await tokens.find('a')).toBeUndefined();
  expect(await tokens.find('b')).toBeDefined();
});
