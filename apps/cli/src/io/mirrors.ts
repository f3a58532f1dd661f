import type { PublicKey } from '@svc/contracts';
import { hasMachineSettings, machineFile } from '@svc/runtime/env-proxy';
import type { CommandContext } from '../command-record.ts';
import { usageError } from '../failure.ts';
import { pinnedKey } from './key-store.ts';
import { keysOf } from './trusted-key.ts';

type Context = Pick<CommandContext, 'company' | 'env' | 'fetch' | 'now' | 'wait' | 'terminal'>;

/** The mirrors that the operator of the machine, or the user, set. @throws CommandError with exit code 2 */
async function givenMirrorsOf({ env }: Context, file: string): Promise<readonly string[]> {
  const { givenMirrors } = await import('@svc/runtime/machine-settings');
  const { mirrorAddresses } = await import('@svc/runtime/store-client');
  try {
    return mirrorAddresses(givenMirrors(env, file));
  } catch (error) {
    throw usageError((error as Error).message, { cause: error });
  }
}

/** The keys of a store that are trusted here, oldest first: none before the first `svc verify` on a machine without a key in its settings. */
async function trustedFor(context: Context, store: string): Promise<PublicKey[]> {
  const pinned = await pinnedKey(context, store);
  return pinned ? keysOf({ ...pinned, origin: 'pinned' }) : [];
}

async function open(context: Context, store: string): Promise<typeof globalThis.fetch> {
  const { env, fetch, now, wait, terminal } = context;
  const file = machineFile(process.platform, env);
  if (!env.SVC_MIRRORS && !hasMachineSettings(process.platform, file)) return fetch;
  const mirrors = await givenMirrorsOf(context, file);
  if (mirrors.length === 0) return fetch;
  const trusted = await trustedFor(context, store);
  const { createMirroredFetch } = await import('@svc/runtime/store-client');
  return createMirroredFetch({
    system: { now: () => now().getTime(), sleep: (ms, signal) => wait(ms, signal ?? AbortSignal.any([])) },
    ...{ fetch, store },
    mirrors: () => mirrors,
    trusted: () => trusted,
    onLeft: (mirror, why) => terminal.err(`svc: the mirror ${mirror} is not used: ${why}.\n`),
    onBack: () => undefined,
  }).fetch;
}

/**
 * The `fetch` for what everyone may read of a store: its mirrors are asked first, where the operator of the machine or `SVC_MIRRORS` names any,
 * and the store last. They are opened at the first request.
 */
export function mirroredFetch(context: Context, store: string): typeof globalThis.fetch {
  let opened: Promise<typeof globalThis.fetch> | undefined;
  return async (input, init) => {
    opened ??= open(context, store);
    return (await opened)(input, init);
  };
}
