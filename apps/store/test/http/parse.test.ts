import { NewWebhook } from '@svc/contracts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseOr400 } from '../../src/http/parse.ts';
import type { ApiError } from '../../src/platform/api-error.ts';

const Request = z.strictObject({
  name: z.string().min(3).max(5),
  count: z.int().min(2).max(9).optional(),
  kind: z.enum(['a', 'b']).optional(),
  list: z
    .array(z.strictObject({ at: z.iso.datetime() }))
    .max(2)
    .optional(),
  code: z.string().regex(/^a/).optional().describe('Starts with an a.'),
  mail: z.email().optional(),
  home: z.url().optional(),
  plain: z.string().regex(/^b/).optional(),
  own: z
    .string()
    .refine(() => false, 'is not yours')
    .optional(),
});

const faultsOf = (schema: z.ZodType, value: unknown): string[] => {
  try {
    parseOr400(schema, value, '');
    return [];
  } catch (error) {
    const issues = (error as ApiError).extras.issues ?? [];
    return issues.map(({ path, message }) => `${path} ${message}`);
  }
};

it.each([
  [{}, ['/name is required']],
  [null, [' must be an object']],
  [{ name: 1 }, ['/name must be a text']],
  [{ name: 'ab', count: 10 }, ['/name must have at least 3 characters', '/count must be at most 9']],
  [{ name: 'abcdef', count: 2.5 }, ['/name must have at most 5 characters', '/count must be a whole number']],
  [{ name: 'abc', kind: 'c', x: 1 }, ['/kind must be a or b', ' has unknown fields: x']],
  [{ name: 'abc', list: [{ at: 'noon' }] }, ['/list/0/at must be a time such as 2026-01-31T12:00:00Z']],
  [{ name: 'abc', list: [1, 2] }, ['/list/0 must be an object', '/list/1 must be an object']],
  [
    { name: 'abc', code: 'b', mail: 'x', home: 'x', plain: 'x', own: 'x' },
    [
      '/code is not valid: Starts with an a',
      '/mail must be an email address',
      '/home must be an address such as https://example.com',
      '/plain is not valid',
      '/own is not yours',
    ],
  ],
])('says what is wrong with %j, and no word of a parser', (value, faults) => {
  expect(faultsOf(Request, value)).toEqual(faults);
});

it('says what an address must be that a form asks for', () => {
  expect(faultsOf(NewWebhook, { url: 'http://hooks.example.com' })).toEqual([
    '/url is not valid: An https address of a host on the Internet, without a port',
  ]);
});
