import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '@svc/runtime';
import { makePrivateFolder, writeDurable } from '@svc/runtime/parts';

/** The files that the runtime saves when the log of a store has two histories; their names begin with the time. */
const EVIDENCE = /^log-\d+-\d+\.txt$/;

/** What this computer saw of the log of its store. */
type StoreLogView = {
  /** The file with the newest evidence that the store showed two histories, unless the user closed the notice about it. */
  evidence: string | null;
  /** Whether it was seen since the start that the store has no log. */
  isMissing: boolean;
};

/**
 * Remembers what must not be missed about the log of the store: evidence stays on the page, also after a restart, until the user closes it.
 * @param folder the folder of the desktop
 */
export function createStoreLog(folder: string, events: Pick<Runtime['events'], 'subscribe'>) {
  const saved = join(folder, 'evidence');
  const closedFile = join(saved, 'closed');
  let isMissing = false;
  events.subscribe((event) => {
    if (event.type === 'log-missing') isMissing = true;
  });

  const newest = async (): Promise<string | null> =>
    (await readdir(saved).catch(() => []))
      .filter((name) => EVIDENCE.test(name))
      .sort()
      .at(-1) ?? null;

  return {
    async view(): Promise<StoreLogView> {
      const name = await newest();
      const closed = await readFile(closedFile, 'utf8').catch(() => '');
      return { evidence: name === null || name <= closed ? null : join(saved, name), isMissing };
    },
    /** Closes the notice. The files stay. */
    async close(): Promise<void> {
      isMissing = false;
      const name = await newest();
      if (name === null) return;
      makePrivateFolder(saved);
      await writeDurable(closedFile, Buffer.from(name));
    },
  };
}

export type StoreLog = ReturnType<typeof createStoreLog>;
