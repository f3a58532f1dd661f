import type { ServedTool } from '@svc/contracts';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { Listed } from '../../../src/core/domain/tools/served.ts';
import { pauseAfter, stateAfter } from '../../../src/extensions/servers/check-server.ts';
import type { CheckState } from '../../../src/extensions/servers/tool-store.ts';

const HOUR = 3_600_000;
const manifest = sampleManifest();
const tool = (name: string, title?: string): ServedTool => ({
  name,
  inputSchema: { type: 'object' },
  ...(title !== undefined && { title }),
});
const TOOLS = [tool('add_note'), tool('clear')];
const listed = (...tools: ServedTool[]): Listed => ({ is: 'listed', tools, ttlMs: 0 });
const record = { source: 'store', recordedAt: '2026-01-01T00:00:00.000Z', tools: TOOLS } as const;

const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`;
const after = (before: CheckState, at: string, answer: Listed, sticks = false) =>
  stateAfter(
    before,
    { version: '1.0.0', manifest, record: { ...record, tools: [...TOOLS] }, at },
    answer,
    sticks,
  );

describe('the state of a server', () => {
  it('counts the tools that are as published', () => {
    expect(after({}, day(1), listed(...TOOLS))).toEqual({
      ...{ version: '1.0.0', checkedAt: day(1), outcome: 'listed', declared: 2, asPublished: 2, drift: [] },
    });
    expect(after({}, day(1), listed(tool('clear')))).toMatchObject({ declared: 2, asPublished: 1 });
  });

  it('waits for a decision since the first change, until the server lists again what is recorded', () => {
    const changed = listed(tool('add_note', 'First step of every task'), tool('clear'));
    const first = after({}, day(1), changed);
    expect(first).toMatchObject({
      driftSince: day(1),
      drift: [{ tool: 'add_note', path: '/title', widens: true }],
    });
    const second = after(first, day(2), changed);
    expect(second.driftSince).toBe(day(1));
    expect(after(second, day(3), listed(...TOOLS)).driftSince).toBeUndefined();
    expect(after(second, day(3), listed(...TOOLS), true).driftSince).toBe(day(1));
    const failing = after(second, day(3), {
      is: 'not-answering',
      fault: 'It cannot be reached.',
      retryAfter: null,
    });
    expect(failing).toMatchObject({ driftSince: day(1), failingSince: day(3), outcome: 'not-answering' });
    expect(after(failing, day(4), listed(...TOOLS))).not.toHaveProperty('failingSince');
  });

  it('does not carry over to another version', () => {
    const changed = after({}, day(1), listed(tool('add_note', 'Changed')));
    const next = { version: '1.1.0', manifest, record: null, at: day(2) };
    expect(stateAfter(changed, next, listed(tool('add_note', 'Changed'), tool('clear')), true)).toEqual({
      ...{ version: '1.1.0', checkedAt: day(2), outcome: 'listed', declared: 2, asPublished: 2, drift: [] },
    });
  });

  it('keeps a bounded part of what changed, first what a person must decide', () => {
    const many = Array.from({ length: 500 }, (_, n) => tool(`other_${n}`));
    const huge = { ...tool('clear'), inputSchema: { enum: ['x'.repeat(60_000)] } };
    const { drift = [] } = after({}, day(1), listed(tool('add_note'), huge, ...many));
    expect(drift).toHaveLength(100);
    expect(drift[0]).toMatchObject({ tool: 'clear', widens: true });
    expect(JSON.stringify(drift[0]).length).toBeLessThan(5_000);
  });
});

describe('the pause after a check', () => {
  it.each<[string, Listed, number]>([
    ['a day', listed(), 24],
    ['as long as the list is fresh', { is: 'listed', tools: [], ttlMs: 48 * HOUR }, 48],
    ['a week at most', { is: 'listed', tools: [], ttlMs: Number.MAX_SAFE_INTEGER }, 144],
    ['as long as the server asks for', { is: 'not-answering', fault: '', retryAfter: 30 * 3_600 }, 30],
    ['never less than a day', { is: 'not-answering', fault: '', retryAfter: 1 }, 24],
  ])('is %s', (_what, answer, hours) => expect(pauseAfter(answer)).toBe(hours * HOUR));
});
