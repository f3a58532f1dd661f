import { describe, expect, it } from 'vitest';
import { safeAddress } from '../../../src/core/render/rewrite-html.ts';

describe('safeAddress', () => {
  it.each([
    ['https://a.example', 'https://a.example/'],
    ['HTTPS://A.example/b?c#d', 'https://a.example/b?c#d'],
    ['https://a.example/"<>', 'https://a.example/%22%3C%3E'],
    ['https:a.example', 'https://a.example/'],
    ['https://раураӏ.example', 'https://xn--80aa0cbo65f.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['mailto:a@b.example?subject=x&body=y', 'mailto:a@b.example'],
  ])('normalises %s', (written, address) => {
    expect(safeAddress(written)).toBe(address);
  });

  it.each([
    'http://a.example',
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    '//a.example',
    '/api',
    '#a',
    'a.example',
    '',
    'https://',
    'https://store.test@a.example/',
    'https://:password@a.example/',
    'mailto:',
    `https://a.example/${'x'.repeat(2_000)}`,
    `https://a.example/${'<'.repeat(1_000)}`,
  ])('refuses %s', (written) => {
    expect(safeAddress(written)).toBeNull();
  });
});
