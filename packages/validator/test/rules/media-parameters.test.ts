import { describe, expect, it } from 'vitest';
import { findings } from '../support.ts';

const AT = '/contributes/tools/0/files/a/prepare';
const found = (name: string, value: unknown) => {
  const prepare = { op: 'convert', format: 'png', [name]: value };
  const tool = { id: 'a', name: 'A', description: 'A.', files: { a: { prepare } } };
  return findings({ contributes: { tools: [tool] }, grants: ['files:receive', 'host:media'] });
};

describe.each([
  ['width', 'dimension', [1, 16_384], [0, 16_385, 1.5, '1', null]],
  ['height', 'dimension', [1, 16_384], [0, 16_385, -1, Number.NaN]],
  ['x', 'offset', [0, 16_384], [-1, 16_385, 0.5, '0']],
  ['y', 'offset', [0, 16_384], [-1, 16_385, true]],
  ['quality', 'quality', [1, 100, 50.5], [0, 100.1, '50']],
  ['targetKb', 'targetKb', [10, 50_000], [9, 50_001, null]],
  ['start', 'time', [0, 600, 0.5], [-0.1, 600.1, '1']],
  ['aspect', 'aspect', ['1:1', '16:9'], ['0:1', '1:0', '1', '1:1:1', '01:1', '1.5:1', ' 1:1', 1]],
  ['fit', 'fit', ['cover', 'contain', 'fill'], ['Cover', '', null]],
  ['gravity', 'gravity', ['center', 'north', 'south', 'east', 'west'], ['top', 'northeast', 7]],
  [
    'format',
    'format.value',
    ['jpeg', 'webp', 'avif', 'gif', 'mp4', 'webm', 'mp3', 'wav', 'm4a', 'ogg'],
    ['jpg', 'PNG', 7],
  ],
] satisfies [string, string, unknown[], unknown[]][])('%s', (name, code, good, bad) => {
  it.each([...good])('accepts %j', (value: unknown) => expect(found(name, value)).toEqual([]));
  it.each([...bad])('refuses %j', (value: unknown) =>
    expect(found(name, value)).toEqual([`media.${code} ${AT}/${name}`]),
  );
});
