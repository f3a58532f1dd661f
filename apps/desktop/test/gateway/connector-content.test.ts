import type { Given } from '@svc/runtime';
import { expect, it } from 'vitest';
import { blockAsGiven, presentResource } from '../../src/gateway/connector-content.ts';

const ID = 'local.mcp-1';
const PNG = { bytes: Buffer.from('png'), mediaType: 'image/png' };
const UNKNOWN = { bytes: Buffer.from('?'), mediaType: 'application/octet-stream' };
const more = { annotations: { audience: ['user'] }, _meta: { a: 1 } };

it.each<[string, Given, Parameters<typeof blockAsGiven>[2], unknown]>([
  ['text', { type: 'text', ...more }, { text: 'hi' }, { type: 'text', ...more, text: 'hi' }],
  [
    'a picture',
    { type: 'image', mimeType: 'image/jpeg', ...more },
    PNG,
    { type: 'image', mimeType: 'image/png', ...more, data: 'cG5n' },
  ],
  [
    'a sound',
    { type: 'audio', mimeType: 'audio/wav' },
    UNKNOWN,
    { type: 'audio', mimeType: 'audio/wav', data: 'Pw==' },
  ],
  ['a sound that is a picture', { type: 'audio', mimeType: 'audio/wav' }, PNG, null],
  [
    'a link',
    { type: 'resource_link', uri: 'note://a', name: 'A', size: 3 },
    { text: '' },
    { type: 'resource_link', uri: `${ID}+note://a`, name: 'A', size: 3 },
  ],
  [
    'an embedded text',
    { type: 'resource', resource: { uri: 'note://a', mimeType: 'text/markdown' }, ...more },
    { text: '# A' },
    {
      type: 'resource',
      ...more,
      resource: { uri: `${ID}+note://a`, mimeType: 'text/markdown', text: '# A' },
    },
  ],
  [
    'an embedded file',
    { type: 'resource', resource: { uri: 'note://a', mimeType: 'application/x-own' } },
    UNKNOWN,
    { type: 'resource', resource: { uri: `${ID}+note://a`, mimeType: 'application/x-own', blob: 'Pw==' } },
  ],
  ['another form', { type: 'video' }, PNG, null],
])(
  'passes on %s as a connector gave it, unless its bytes are something else',
  (_what, given, part, block) => {
    expect(blockAsGiven(ID, given, part)).toEqual(block);
  },
);

it('names each part of a resource by its own address', () => {
  const parts = [
    {
      type: 'text' as const,
      text: 'one',
      given: { uri: 'note://a/1', mimeType: 'text/markdown', _meta: { a: 1 } },
    },
    { type: 'file' as const, name: 'x', ...UNKNOWN },
  ];
  expect(presentResource(ID, `${ID}+note://a`, parts)).toEqual({
    contents: [
      { uri: `${ID}+note://a/1`, mimeType: 'text/markdown', _meta: { a: 1 }, text: 'one' },
      { uri: `${ID}+note://a`, mimeType: 'application/octet-stream', blob: 'Pw==' },
    ],
  });
});
