import { randomUUID } from 'node:crypto';
import { DEEP } from '@svc/testkit';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../src/postgres.ts';
import { realSystem } from './support/real-system.ts';
import { refused } from './support/refused.ts';
import { describeStorage, type Place } from './support/storage-suite.ts';
import { tempFolder } from './support/temp-folder.ts';

/** A schema of its own in the database of the test run, and a client that may do everything. */
async function makePlace() {
  const server = inject('postgres') as { url: string };
  const connectionString = `${server.url}postgres`;
  const schema = `svc "${randomUUID()}`;
  const quoted = pg.escapeIdentifier(schema);
  const client = new pg.Client(connectionString);
  await client.connect();
  onTestFinished(async () => {
    await client.query(`drop schema if exists ${quoted} cascade`);
    await client.end();
  });
  const options = { connectionString, schema };
  const place: Place = {
    open: postgresStorage(options),
    folder: () => tempFolder(),
    code: `(await import(sources + 'postgres.ts')).postgresStorage(${JSON.stringify(options)})({ system, folder })`,
    async stored() {
      const contents = await Promise.all(
        ['records', 'blobs'].map((table) => client.query(`select content from ${quoted}.${table}`)),
      );
      return Buffer.concat(contents.flatMap(({ rows }) => rows.map(({ content }) => content)));
    },
    async age() {
      await client.query(
        `update ${quoted}.records set content = '1000' where set_name = 'library' and name = 'schema'`,
      );
    },
  };
  return { place, client, quoted, options };
}

const open = async ({ place }: { place: Place }) => {
  const storage = await place.open({ system: realSystem, folder: await place.folder() });
  onTestFinished(async () => storage.close());
  return storage;
};

/** Ends all other connections to the database, as a restart does. */
const endConnections = (client: pg.Client) =>
  client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc runtime' and pid <> pg_backend_pid()",
  );

describeStorage('storage in PostgreSQL', async () => (await makePlace()).place);

describe('storage in PostgreSQL', () => {
  it('hears what other processes write, also after its connections were lost', async () => {
    const made = await makePlace();
    const [one, two] = [await open(made), await open(made)];
    const read = two.library.database.prepare("select value from settings where name = 'n'");
    const write = (value: string) =>
      one.library.transact(() =>
        one.library.database.prepare("insert or replace into settings values ('n', ?)").run(value),
      );
    write('1');
    await expect.poll(() => read.get()?.value).toBe('1');
    await endConnections(made.client);
    await expect
      .poll(() => {
        try {
          write('2');
          return 'written';
        } catch (error) {
          return error;
        }
      })
      .toBe('written');
    await expect.poll(() => read.get()?.value).toBe('2');
    await expect.poll(() => two.alone('x', async () => 'held').catch(() => null)).toBe('held');
  });

  it('refuses what it cannot read or write, and changes nothing', async () => {
    const made = await makePlace();
    const storage = await open(made);
    const { database, transact } = storage.library;
    const write = () => transact(() => database.prepare("insert into settings values ('n', '1')").run());
    await made.client.query(`alter table ${made.quoted}.records rename to away`);
    expect(write).toThrow(expect.objectContaining({ code: 'disk-unavailable' }));
    await expect(storage.refresh()).rejects.toEqual(refused('disk-unavailable'));
    expect(database.prepare('select count(*) as n from settings').get()).toEqual({ n: 0 });
    await made.client.query(`alter table ${made.quoted}.away rename to records`);
    write();
    expect(database.prepare('select count(*) as n from settings').get()).toEqual({ n: 1 });
  });

  it('is apart for each schema, also its locks', DEEP, async () => {
    const [one, two] = [await open(await makePlace()), await open(await makePlace())];
    one.library.transact(() => one.library.database.prepare("insert into settings values ('n', '1')").run());
    await two.refresh();
    expect(two.library.database.prepare('select count(*) as n from settings').get()).toEqual({ n: 0 });
    expect(await one.alone('x', () => two.alone('x', async () => 'both'))).toBe('both');
  });

  it('is used by a role that may create no tables, once there are some', DEEP, async () => {
    const made = await makePlace();
    await open(made);
    const role = `bot_${randomUUID().replaceAll('-', '')}`;
    await made.client.query(`create role ${role} login password 'bot'`);
    await made.client.query(`grant usage on schema ${made.quoted} to ${role}`);
    await made.client.query(
      `grant select, insert, update, delete on all tables in schema ${made.quoted} to ${role}`,
    );
    onTestFinished(async () => {
      await endConnections(made.client);
      await made.client.query(`drop owned by ${role}; drop role ${role}`);
    });
    const address = new URL(made.options.connectionString);
    [address.username, address.password] = [role, 'bot'];
    const storage = await postgresStorage({ ...made.options, connectionString: address.href })({
      system: realSystem,
      folder: await tempFolder(),
    });
    storage.library.transact(() =>
      storage.library.database.prepare("insert into settings values ('n', '1')").run(),
    );
    await storage.close();
  });

  it('says that it cannot be opened, without its password', async () => {
    const { options } = await makePlace();
    const address = new URL(options.connectionString);
    address.password = 'a-wrong-password';
    const opening = postgresStorage({ ...options, connectionString: address.href })({
      system: realSystem,
      folder: await tempFolder(),
    });
    const error = await opening.catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'disk-unavailable' });
    expect(String((error as Error).message)).not.toContain('a-wrong-password');
  });
});
