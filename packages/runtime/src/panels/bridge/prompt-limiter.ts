import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { createTokenBucket } from './token-bucket.ts';

/** The rate limit of a panel's prompts to the user: a burst, and then one every ten seconds. */
const PROMPT_LIMITS = { burst: 5, perSecond: 0.1 };

/** Shows a prompt to the user, if no other prompt of the panel is open. */
export type AskInTurn = <T>(ask: () => Promise<T>) => Promise<T>;

/**
 * Limits a panel to one prompt at a time, and to a low rate: a panel must not wear the user down with prompts, and a prompt must not
 * be hidden behind another.
 * @returns a function that throws RuntimeError `too-many`
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
