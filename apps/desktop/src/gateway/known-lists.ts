import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inBackground } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';

/** Most agents and folders whose lists are kept, and most characters of the file. */
const MAX_KEPT = 40;
const MAX_CHARACTERS = 16 * 1024 * 1024;

type Kept = Record<string, Record<string, unknown>>;

function read(file: string): Kept {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(kept) ? (kept as Kept) : {};
  } catch {
    return {};
  }
}

/** Opens the lists of a folder. @param query of the gateway's address, which selects project and provider */
export function openKnownLists(folder: string, query: string) {
  const file = path.join(folder, 'gateway-lists.json');
  let key = '';
  let writing: Promise<unknown> = Promise.resolve();
  /** Of several gateways that write at the same time, the last wins: the lists are a cache. Without one, a start waits for the desktop. */
  function write(text: string): void {
    const done = writing.then(async () => {
      const { writeDurable } = await import('@svc/runtime/parts');
      await writeDurable(file, Buffer.from(text));
    });
    writing = done.catch(() => undefined);
    inBackground(writing);
  }
  return {
    /** Selects the agent by what it reports of itself. */
    of(clientInfo: unknown) {
      const { name = '' } = (clientInfo ?? {}) as { name?: unknown };
      key = createHash('sha256')
        .update(JSON.stringify([name, query]))
        .digest('hex')
        .slice(0, 32);
    },
    /** The last list; null when none is known. */
    get: (method: string) => read(file)[key]?.[method] ?? null,
    /** Keeps a list. @returns whether it is another one */
    keep(method: string, result: unknown) {
      const kept = read(file);
      const before = kept[key] ?? {};
      if (JSON.stringify(before[method]) === JSON.stringify(result)) return false;
      const { [key]: _own, ...others } = kept;
      const all = [...Object.entries(others).slice(1 - MAX_KEPT), [key, { ...before, [method]: result }]];
      const text = JSON.stringify(Object.fromEntries(all));
      if (text.length <= MAX_CHARACTERS) write(text);
      return true;
    },
  };
}

/**
 * The lists that the desktop gave an agent last, so that the gateway can answer before a desktop runs. They hold what an agent reads of
 * tools; calls go to the desktop, which checks each.
 */
export type KnownLists = ReturnType<typeof openKnownLists>;
