import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { watchChanges } from '../../../src/adapters/sqlite/watch-changes.ts';

/** A database of a store. `connect` opens further connections, like other processes. */
async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-changes-'));
  const file = join(folder, 'store.sqlite');
  const connections: DatabaseSync[] = [];
  const connect = () => {
    const connection = new DatabaseSync(file);
    connections.push(connection);
    return connection;
  };
  const own = connect();
  own.exec('pragma journal_mode = wal; create table t (x)');
  const { changeMark, close } = watchChanges(file);
  let isOpen = true;
  const closeOnce = () => {
    if (isOpen) close();
    isOpen = false;
  };
  onTestFinished(async () => {
    closeOnce();
    for (const connection of connections) connection.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { own, connect, changeMark, close: closeOnce };
}

it('returns a new mark after each commit of any connection, and the same one otherwise', async () => {
  const { own, connect, changeMark } = await opened();
  const other = connect();
  const marks = [changeMark()];
  for (const connection of [own, other, own]) {
    connection.exec('insert into t values (1)');
    await nextTurn();
    marks.push(changeMark());
    await nextTurn();
    expect(changeMark()).toBe(marks.at(-1));
  }
  expect(new Set(marks).size).toBe(4);
});

it('returns a new mark when a transaction is committed, and none when it is rolled back', async () => {
  const { own, changeMark } = await opened();
  const before = changeMark();
  own.exec('begin immediate; insert into t values (1)');
  await nextTurn();
  expect(changeMark()).toBe(before);
  own.exec('rollback');
  await nextTurn();
  expect(changeMark()).toBe(before);
  own.exec('begin immediate; insert into t values (1); commit');
  await nextTurn();
  expect(changeMark()).not.toBe(before);
});

it('reads the mark once per turn of the event loop', async () => {
  const { own, changeMark } = await opened();
  const before = changeMark();
  own.exec('insert into t values (1)');
  expect(changeMark()).toBe(before);
  await nextTurn();
  expect(changeMark()).not.toBe(before);
});

it('returns null when the database cannot be read', async () => {
  const { changeMark, close } = await opened();
  close();
  expect(changeMark()).toBeNull();
});
