import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { createTokenBucket } from './token-bucket.ts';

/** How often a panel may put something before the person: so often at once, and once every ten seconds after that. */
const PROMPT_LIMITS = { burst: 5, perSecond: 0.1 };

/** Does what asks a person something, if nothing else of the panel is before them. */
export type AskInTurn = <T>(ask: () => Promise<T>) => Promise<T>;

/**
 * One question at a time, and few of them: a panel must not wear a person down, and what it asks for must not hide behind what
 * it asked before.
 * @returns throws RuntimeError `too-many`
 */
export function createPromptLimiter(system: Pick<System, 'now'>): AskInTurn {
  const bucket = createTokenBucket(PROMPT_LIMITS, system.now);
  let open = false;
  return async (ask) => {
    if (open || !bucket.take()) throw new RuntimeError('too-many');
    open = true;
    try {
      return await ask();
    } finally {
      open = false;
    }
  };
}
