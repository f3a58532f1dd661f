import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, tryLock } from '@svc/runtime/parts';

const NAME = /^chats-writer-([\w-]{1,100})\.lock$/;

const fileOf = (folder: string, id: string): string => join(folder, `chats-writer-${id}.lock`);

/**
 * The processes that write answers in a folder. Each locks its own file, so that the others know which answers are still being written,
 * also after a process was killed.
 * @param database the conversations; its write lock orders processes that start at the same time
 */
export function createWriters(database: DatabaseSync, folder: string, own: string) {
  const claim = database.prepare('insert or replace into writers (message, writer) values (?, ?)');
  const release = database.prepare('delete from writers where message = ?');
  const removeWriter = database.prepare('delete from writers where writer = ?');
  const interrupt = database.prepare(`update messages set status = 'interrupted'
    where status = 'running' and not exists (select 1 from writers where writers.message = messages.id)`);
  const known = database.prepare('select distinct writer from writers where writer <> ?');
  const running = database.prepare("select distinct chat from messages where status = 'running'");

  function livingWriter(file: string): string | null {
    const [, id = ''] = NAME.exec(file) ?? [];
    if (id === '' || id === own) return null;
    const locked = tryLock(join(folder, file));
    if (locked === null) return id;
    locked.close();
    rmSync(join(folder, file), { force: true });
    return null;
  }
  /** Marks the answers of processes that ended as interrupted. */
  function sweep(): void {
    const living = new Set(readdirSync(folder).map(livingWriter));
    for (const { writer } of known.all(own))
      if (!living.has(String(writer))) removeWriter.run(String(writer));
    interrupt.run();
  }
  const held = inTransaction(database, () => {
    sweep();
    return tryLock(fileOf(folder, own));
  });
  if (held === null) throw new Error('Another process has the same id.');
  return {
    claim(message: number): void {
      claim.run(message, own);
    },
    release(message: number): void {
      release.run(message);
    },
    /** Conversations in which an answer is written now, by this process or another. */
    running(): Set<string> {
      const chats = () => new Set(running.all().map(({ chat }) => String(chat)));
      if (chats().size > 0 && known.all(own).length > 0) inTransaction(database, sweep);
      return chats();
    },
    close(): void {
      held.close();
      rmSync(fileOf(folder, own), { force: true });
    },
  };
}
