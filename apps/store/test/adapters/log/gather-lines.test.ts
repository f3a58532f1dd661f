import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { gatherLines } from '../../../src/adapters/log/gather-lines.ts';

/** A sink that records its chunks. */
function opened() {
  const before = process.listeners('exit').length;
  const chunks: Buffer[] = [];
  const end = vi.fn();
  const lines = gatherLines({ write: (chunk) => void chunks.push(chunk), end });
  const atExit = process.listeners('exit')[0] as () => void;
  expect(process.listeners('exit')).toHaveLength(before + 1);
  onTestFinished(() => {
    for (const end of ['exit', 'beforeExit'] as const) process.off(end, atExit);
  });
  return { lines, chunks, end, atExit, text: () => Buffer.concat(chunks).toString() };
}

describe('lines of a log', () => {
  it('are all written, complete and in order, whatever their length and script', () => {
    const { lines, text, chunks, atExit } = opened();
    const all = Array.from({ length: 500 }, (_, n) => `${n} ${'ä€𝄞'.repeat(n % 40)}\n`);
    all.splice(200, 0, `${'long '.repeat(20_000)}\n`);
    for (const line of all) lines.write(line);
    atExit();
    expect(text()).toBe(all.join(''));
    expect(chunks.length).toBeLessThan(20);
  });

  it('are buffered only for a moment', async () => {
    const { lines, text } = opened();
    lines.write('one\n');
    expect(text()).toBe('');
    await expect.poll(text).toBe('one\n');
  });

  it('are written at the exit before the log ends', () => {
    const { lines, text, end, atExit } = opened();
    lines.write('one\n');
    end.mockImplementation(() => expect(text()).toBe('one\n'));
    atExit();
    expect(end).toHaveBeenCalledOnce();
  });
});
