import { type ContentBlock, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { readableContent, refusalResult } from '../../src/gateway/present-result.ts';

const SOUND = { type: 'audio', mimeType: 'audio/wav', data: 'Pw==' } as const;
const LINK = { type: 'resource_link', uri: 'note://a', name: 'A' } as const;
const OTHERS: ContentBlock[] = [
  { type: 'text', text: 'hi' },
  { type: 'image', mimeType: 'image/png', data: 'cG5n' },
  { type: 'resource', resource: { uri: 'note://a', text: '# A' } },
];

const typesIn = (revision: string | undefined): string[] =>
  [SOUND, LINK, ...OTHERS]
    .map(readableContent({ getNegotiatedProtocolVersion: () => revision }))
    .map(({ type }) => type);

it('gives each revision the forms of content that it has', () => {
  const others = OTHERS.map(({ type }) => type);
  const found = Object.fromEntries(
    SUPPORTED_PROTOCOL_VERSIONS.map((revision) => [revision, typesIn(revision).slice(0, 2)]),
  );
  expect(found).toEqual({
    ...Object.fromEntries(
      SUPPORTED_PROTOCOL_VERSIONS.map((revision) => [revision, ['audio', 'resource_link']]),
    ),
    '2025-03-26': ['audio', 'text'],
    '2024-11-05': ['resource', 'text'],
    '2024-10-07': ['resource', 'text'],
  });
  expect(typesIn(undefined)).toEqual(['audio', 'resource_link', ...others]);
  expect(typesIn('2024-11-05').slice(2)).toEqual(others);
});

it('keeps the bytes of a sound, and the name and the address of a link', () => {
  const readable = readableContent({ getNegotiatedProtocolVersion: () => '2024-11-05' });
  expect(readable(SOUND)).toMatchObject({ resource: { mimeType: 'audio/wav', blob: 'Pw==' } });
  expect(readable(LINK)).toEqual({ type: 'text', text: 'A: note://a' });
});

it('tells an agent that the disk is full, and nothing of another error', () => {
  const full = Object.assign(new Error('/home/anna/secret'), { code: 'ENOSPC' });
  expect(refusalResult(full).content).toMatchObject([
    { text: expect.stringMatching(/is full.*\(disk-unavailable\)/) },
  ]);
  expect(refusalResult(new Error('/home/anna/secret')).content).toMatchObject([
    { text: expect.not.stringContaining('anna') },
  ]);
});
