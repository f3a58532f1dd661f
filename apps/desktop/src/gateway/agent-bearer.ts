import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { System } from '@svc/runtime';
import { withLock, writeDurable } from '@svc/runtime/parts';
import { newSecret } from '../http/secret.ts';

const BEARER = /^[\w-]{43}$/;

async function read(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return BEARER.test(text.trim()) ? text.trim() : null;
}

/**
 * What agents show the gateway of a folder, made once: it stays, since configurations of agents hold it. It lets nobody into the
 * page, and makes no links to it.
 */
export function agentBearer(folder: string, system: Pick<System, 'sleep' | 'randomBytes'>): Promise<string> {
  const file = join(folder, 'agent-bearer');
  return withLock(system, join(folder, 'agent-bearer.lock'), async () => {
    const kept = await read(file);
    if (kept !== null) return kept;
    const made = newSecret(system);
    await writeDurable(file, Buffer.from(`${made}\n`));
    return made;
  });
}
