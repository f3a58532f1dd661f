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
 * The bearer of agents for the gateway of a folder. It is created once and never changes, because agents' configurations contain it.
 * It grants no access to the page, and cannot create links to it.
 */
export function agentBearer(folder: string, system: Pick<System, 'sleep' | 'randomBytes'>): Promise<string> {
  const file = join(folder, 'agent-bearer');
  return withLock(system, join(folder, 'agent-bearer.lock'), async () => {
    const stored = await read(file);
    if (stored !== null) return stored;
    const created = newSecret(system);
    await writeDurable(file, Buffer.from(`${created}\n`));
    return created;
  });
}
