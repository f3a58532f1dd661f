import { expect, it } from 'vitest';
import { beginsDownload } from '../../../src/features/catalog/routes.ts';

const part = (range?: string) =>
  new Response('x', { status: 206, ...(range && { headers: { 'content-range': range } }) });

it.each([
  ['begins with a whole file', 'GET', new Response('x'), true],
  ['begins with the first range', 'GET', part('bytes 0-99/1000'), true],
  ['begins with a redirect', 'GET', new Response(null, { status: 307 }), true],
  ['does not begin with a later range', 'GET', part('bytes 100-199/1000'), false],
  ['does not begin with the last byte', 'GET', part('bytes 999-999/1000'), false],
  ['does not begin with several ranges', 'GET', part(), false],
  ['does not begin with HEAD', 'HEAD', new Response(null), false],
  ['does not begin with 304', 'GET', new Response(null, { status: 304 }), false],
  ['does not begin with an unsatisfiable range', 'GET', new Response(null, { status: 416 }), false],
])('a download %s', (_what, method, answer, begins) => {
  expect(beginsDownload(method, answer)).toBe(begins);
});
