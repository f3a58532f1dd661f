import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RefusalCode, RuntimeError } from '@svc/runtime';
import { expect, it } from 'vitest';
import { messageToUser } from '../../src/http/answer.ts';

const SOURCE = join(import.meta.dirname, '../../../../packages/runtime/src/platform/runtime-error.ts');

it('says no refusal to the user in the words for an agent', () => {
  const source = readFileSync(SOURCE, 'utf8');
  const table = source.slice(source.indexOf('const MESSAGES'), source.indexOf('} as const'));
  const codes = [...table.matchAll(/^ {2}'?([a-z-]+)'?:/gm)].map(([, code = '']) => code as RefusalCode);
  expect(codes.length).toBeGreaterThan(30);
  const said = codes.map((code) => messageToUser(new RuntimeError(code as 'declined')));
  expect(said.filter((message) => /\bthe user\b/i.test(message))).toEqual([]);
  expect(said).toContain('You declined.');
});
