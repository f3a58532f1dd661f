import { validateBundle } from '@svc/validator';
import { expect, it } from 'vitest';
import { iconSvg } from '../../src/init/files.ts';
import { MANIFEST } from '../support/app-folder.ts';

const problems = (svg: string) => {
  const entries = new Map([
    ['plugin.json', Buffer.from(JSON.stringify(MANIFEST))],
    ['README.md', Buffer.from('# Tidy\n')],
    ['assets/icon.svg', Buffer.from(svg)],
  ]);
  return validateBundle(entries, { mode: 'store' }).issues;
};

it.each([
  { name: 'tidy', shows: '>T</text>' },
  { name: '  (über) ', shows: '>Ü</text>' },
  { name: '日本', shows: '>日</text>' },
  { name: '😀 7', shows: '>7</text>' },
  { name: '😀', shows: '<circle' },
  { name: '<script>alert(1)</script>', shows: '>S</text>' },
  { name: '&"\'<>', shows: '<circle' },
])('draws an icon for $name that passes the checks', ({ name, shows }) => {
  const svg = iconSvg(name, '#2F6F5E');
  expect(svg).toContain(shows);
  expect(problems(svg)).toEqual([]);
});
