import { sampleManifest } from '@svc/testkit';
import { expect, it } from 'vitest';
import { servedFindingsOf } from '../../../src/domain/tools/served-findings.ts';

const manifest = sampleManifest();
const tool = (name: string, properties: object = {}) => ({
  name,
  inputSchema: { type: 'object', properties } as never,
});

it('names tools that the server lacks, and those that it has under another name', () => {
  expect(servedFindingsOf(manifest, [tool('addNote')])).toEqual([
    { tool: 'add_note', kind: 'other-name', detail: 'addNote' },
    { tool: 'clear', kind: 'not-served', detail: '' },
  ]);
});

it.each([
  ['apiKey', {}],
  ['user_password', {}],
  ['text', { description: 'Paste your seed phrase here.' }],
  ['accessToken', {}],
])('names the parameter %s, which asks for a secret', (name, schema) => {
  const served = [
    tool('add_note', { [name]: schema }),
    tool('clear', { at: { items: { properties: { [name]: schema } } } }),
  ];
  expect(servedFindingsOf(manifest, served)).toEqual([
    { tool: 'add_note', kind: 'asks-for-secret', detail: name },
    { tool: 'clear', kind: 'asks-for-secret', detail: `at.*.${name}` },
  ]);
});

it.each(['text', 'author', 'pages', 'tokens', 'keyword'])('lets the parameter %s pass', (name) => {
  expect(servedFindingsOf(manifest, [tool('add_note', { [name]: {} }), tool('clear')])).toEqual([]);
});
