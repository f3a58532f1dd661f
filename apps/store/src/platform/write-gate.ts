import { AsyncLocalStorage } from 'node:async_hooks';
import type { KyselyPlugin, PluginTransformQueryArgs } from 'kysely';
import { ApiError } from './api-error.ts';

/** How long clients wait before they try again, in seconds. */
const RETRY_SECONDS = 60;

/** The refusal of a change while a store is read-only. */
export class ReadOnlyError extends ApiError {
  /** @param reason what the operator tells users, as a sentence without its full stop */
  constructor(reason: string) {
    super(
      'unavailable',
      `The store is read-only for now: ${reason}. Apps can be found and installed; try this again later.`,
      { retryAfter: RETRY_SECONDS },
      'The store is read-only',
    );
  }
}

/** Statements of Kysely that change rows. */
const WRITES: ReadonlySet<string> = new Set([
  ...['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'],
]);

/** SQL of our own that changes nothing. */
const READS = /^\s*(?:select|pragma|show|explain)\b/i;

const isWrite = ({ node }: PluginTransformQueryArgs): boolean =>
  WRITES.has(node.kind) || (node.kind === 'RawNode' && !READS.test(node.sqlFragments[0] ?? ''));

/**
 * Decides whether the database of a running store may be changed. Every change passes it, also one of a sign-in, the relay, a counter or a
 * job: what is read-only does not depend on a list of routes.
 */
export function createWriteGate() {
  const exempt = new AsyncLocalStorage<true>();
  let reason: string | null = null;
  const plugin: KyselyPlugin = {
    transformQuery(query) {
      if (reason !== null && exempt.getStore() === undefined && isWrite(query))
        throw new ReadOnlyError(reason);
      return query.node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    plugin,
    /** Refuses changes from now on. */
    close(why: string): void {
      reason = why;
    },
    isClosed: (): boolean => reason !== null,
    /** Runs work that may change rows in any case. */
    exempt: <T>(work: () => Promise<T>): Promise<T> => exempt.run(true, work),
  };
}
