import { expect, it } from 'vitest';
import { createResources } from '../../src/platform/resources.ts';

it('logs a resource near its end at once and once a minute, and not each time that it comes and goes', async () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  let used = 0;
  const lines: string[] = [];
  const log = { info() {}, error() {}, warn: (_: object, line: string) => void lines.push(line) };
  const read = async () => [{ name: 'memory', used, limit: 100 }];
  const { check } = createResources({ log, clock: () => new Date(now), read });
  const sinceAt = async (value: number) => {
    used = value;
    return (await check())[0]?.since;
  };
  expect(await sinceAt(89)).toBeNull();
  const since = await sinceAt(90);
  expect(since).toBe('2026-03-01T12:00:00.000Z');
  // Between the two shares nothing changes.
  expect(await sinceAt(85)).toBe(since);
  for (let n = 0; n < 20; n += 1) {
    await sinceAt(n % 2 === 0 ? 79 : 95);
    now += 1_000;
  }
  expect(lines).toEqual([
    'This process is near the end of its memory.',
    'This process has enough memory again.',
  ]);
  now += 60_000;
  await sinceAt(95);
  await sinceAt(95);
  expect(lines.slice(2)).toEqual(['This process is near the end of its memory.']);
});
