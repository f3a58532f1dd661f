import { readFileSync } from 'node:fs';
import { interopFolder } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { codePointName, hiddenIn, isReservedName, skeleton } from '../src/index.ts';
import type { HiddenVector, SkeletonVector } from './support/interop-vectors.ts';

const linesIn = <T>(file: string): T[] =>
  readFileSync(new URL(file, interopFolder('text')), 'utf8')
    .trim()
    .split('\n')
    .map((line): T => JSON.parse(line));

const nameIn = (text: string, lines: boolean): string | null => {
  const hidden = hiddenIn(text, { lines });
  return hidden && codePointName(hidden.codePoint);
};

describe('the interop vectors', () => {
  it.each(linesIn<SkeletonVector>('skeletons.jsonl'))('skeleton of $text', (vector) => {
    const { text } = vector;
    expect({ text, skeleton: skeleton(text), svc: isReservedName(text, 'svc') }).toEqual(vector);
  });

  it.each(linesIn<HiddenVector>('hidden.jsonl'))('hidden character in $text', (vector) => {
    const { text } = vector;
    expect({ text, line: nameIn(text, false), lines: nameIn(text, true) }).toEqual(vector);
  });
});
