import type { Mutant } from './mutants.ts';

type Change = Pick<Mutant, 'code' | 'was' | 'becomes'> & { file: string };

/** Changes that no user can notice, with the reason. A test finds those whose line is gone. */
export const EQUIVALENT: readonly (Change & { why: string })[] = [
  {
    file: 'apps/store/src/features/publishing/resume.ts',
    code: "if (record?.state === 'checking') await check(deps, stores, record);",
    was: "record?.state === 'checking'",
    becomes: 'true',
    why: 'a version in another state is not moved: the step is a compare-and-set',
  },
  {
    file: 'packages/runtime/src/calls/use-server.ts',
    code: 'if (!(error instanceof RuntimeError)) return null;',
    was: '!(error instanceof RuntimeError)',
    becomes: 'false',
    why: 'no other error has one of the codes that are compared next',
  },
  {
    file: 'packages/runtime/src/calls/lenient/repair-message.ts',
    code: "typeof data === 'string' && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);",
    was: "'string'",
    becomes: "''",
    why: 'the schema of MCP then reads the file, which takes longer and has the same result',
  },
  {
    file: 'packages/runtime/src/calls/connection.ts',
    code: "options.signal.addEventListener('abort', abandon, { once: true });",
    was: 'true',
    becomes: 'false',
    why: 'a signal aborts once, and the listener is removed when the connection is open',
  },
];

export const isSame = (one: Change, other: Change): boolean =>
  (['file', 'code', 'was', 'becomes'] as const).every((field) => one[field] === other[field]);

/** Whether a change is one without an effect. */
export const isEquivalent = (change: Change): boolean => EQUIVALENT.some((one) => isSame(one, change));
