import type { Issue } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { framesOf } from '../../src/check/frames.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const at = (...paths: string[]): Issue[] =>
  paths.map((path) => ({ code: 'x', level: 'error', path, message: 'No.' }));

describe('framesOf', () => {
  it('shows two lines before and after the location', () => {
    const text = '{\n "a": 1,\n "b": 2,\n "c": "three",\n "d": 4,\n "e": 5,\n "f": 6\n}\n';
    expect(framesOf(bytesOf(text), at('/c')).get('/c')).toEqual({
      lines: [
        { number: 2, text: ' "a": 1,' },
        { number: 3, text: ' "b": 2,' },
        { number: 4, text: ' "c": "three",' },
        { number: 5, text: ' "d": 4,' },
        { number: 6, text: ' "e": 5,' },
      ],
      line: 4,
      start: 6,
      length: 7,
    });
  });

  it('cuts one long line to start shortly before the location', () => {
    const text = `{"a":"${'x'.repeat(5_000)}","b":7}`;
    const frame = framesOf(bytesOf(text), at('/b')).get('/b');
    const [line] = frame?.lines ?? [];
    expect(line?.text.length).toBeLessThan(500);
    expect(line?.text.slice(frame?.start, (frame?.start ?? 0) + (frame?.length ?? 0))).toBe('7');
  });

  it('shows the lines around a missing field, but not the whole file', () => {
    const frames = framesOf(bytesOf('{\n "a": {\n  "b": 1\n }\n}'), at('/a/c', '/d'));
    expect(frames.get('/a/c')).toMatchObject({ line: 2, start: 6, length: 1 });
    expect(frames.has('/d')).toBe(false);
  });

  it('shows nothing for bundle entries, a missing manifest or one that is not JSON', () => {
    expect(framesOf(bytesOf('{}'), at('ui/app.js')).size).toBe(0);
    expect(framesOf(undefined, at('/a')).size).toBe(0);
    expect(framesOf(bytesOf('{'), at('/a')).size).toBe(0);
  });
});
