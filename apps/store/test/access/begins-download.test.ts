import { expect, it } from 'vitest';
import { beginsDownload } from '../../src/access/begins-download.ts';

const part = (range?: string) =>
  new Response('x', { status: 206, ...(range && { headers: { 'content-range': range } }) });

it.each([
  ['all of a file', 'GET', new Response('x'), true],
  ['its first part', 'GET', part('bytes 0-99/1000'), true],
  ['where it is', 'GET', new Response(null, { status: 307 }), true],
  ['how it goes on', 'GET', part('bytes 100-199/1000'), false],
  ['its end', 'GET', part('bytes 999-999/1000'), false],
  ['parts of it in one', 'GET', part(), false],
  ['what it would be', 'HEAD', new Response(null), false],
  ['that it has not changed', 'GET', new Response(null, { status: 304 }), false],
  ['that the range is none', 'GET', new Response(null, { status: 416 }), false],
])('knows %s', (_what, method, answer, begins) => {
  expect(beginsDownload(method, answer)).toBe(begins);
});
