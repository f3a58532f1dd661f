import type { Issue } from '@svc/contracts';
import { expect, it } from 'vitest';
import { issueCount, issueLines } from '../../src/present/issues.ts';
import { memoryTerminal } from '../support/command-context.ts';

const ISSUES: Issue[] = [
  { code: 'a.b', level: 'error', path: '/x', message: 'Bad.' },
  { code: 'long.code', level: 'warning', path: `ui/${'a'.repeat(60)}.js`, message: 'Odd.' },
];

it('writes one line per issue, and one long path does not change the columns of the others', () => {
  const { terminal } = memoryTerminal();
  expect(issueLines(terminal, ISSUES)).toBe(
    `  error    a.b        /x  Bad.\n  warning  long.code  ui/${'a'.repeat(60)}.js  Odd.\n`,
  );
});

it('counts errors and warnings', () => {
  expect(issueCount(ISSUES)).toBe('1 error, 1 warning');
  expect(issueCount([])).toBe('no problems');
});
