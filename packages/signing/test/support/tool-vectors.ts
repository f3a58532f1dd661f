import { sign } from 'node:crypto';
import type { ToolRecord } from '@svc/contracts';
import { type InteropFiles, interopJson, type TestKey, testKey } from '@svc/testkit';

/** A record of the tools of a server, and whether a client accepts it: see interop/tools/README.md. */
export type ToolVector = {
  name: string;
  why: string;
  keys: { keyId: string; publicKeyPem: string }[];
  record: ToolRecord;
  verdict: 'accept' | 'refuse';
};

const CURRENT = testKey('svc vectors: the key of a tool record');
const OTHER = testKey('svc vectors: another key of a tool record');

const FIELDS = {
  appId: 'com.example.notes',
  version: '1.0.0',
  source: 'store',
  recordedAt: '2026-01-01T10:00:00.000Z',
} as const;

const TOOLS: ToolRecord['tools'] = [
  {
    name: 'browser.click',
    title: 'Click',
    description: 'Clicks “once”.',
    inputSchema: { type: 'object', properties: { n: { $ref: '#/properties/n', minimum: 1.5 } } },
    annotations: { readOnlyHint: true },
  },
  { name: 'get-sum', inputSchema: { type: 'object' } },
];

/** The canonical JSON of the record, written out: another program than the one under test. */
const CANONICAL =
  '{"appId":"com.example.notes","recordedAt":"2026-01-01T10:00:00.000Z","source":"store","tools":[{"annotations":{"readOnlyHint":true},"description":"Clicks “once”.","inputSchema":{"properties":{"n":{"$ref":"#/properties/n","minimum":1.5}},"type":"object"},"name":"browser.click","title":"Click"},{"inputSchema":{"type":"object"},"name":"get-sum"}],"version":"1.0.0"}';

/** The same, seen by a moderator. */
const REVIEWED_AT = '2026-01-02T10:00:00.000Z';
const CANONICAL_REVIEWED = CANONICAL.replace(',"source":', `,"reviewedAt":"${REVIEWED_AT}","source":`);

const HEAD = `{"appId":"com.example.notes","latest":"1.0.0","signedAt":"2026-01-01T10:00:00.000Z","versions":"${'a'.repeat(64)}"}`;

const recordBy = (by: TestKey, text: string = CANONICAL): ToolRecord => ({
  ...FIELDS,
  tools: TOOLS,
  signature: sign(null, Buffer.from(text), by.privateKey).toString('base64'),
  keyId: by.keyId,
});

const RECORD = recordBy(CURRENT);
const [CLICK, SUM] = TOOLS as [ToolRecord['tools'][number], ToolRecord['tools'][number]];

const CASES: readonly Pick<ToolVector, 'name' | 'why' | 'record' | 'verdict'>[] = [
  { name: 'accept', why: 'The record is as it was signed.', record: RECORD, verdict: 'accept' },
  {
    name: 'accept-reviewed',
    why: 'A moderator saw the tools: `reviewedAt` is signed with them.',
    record: { ...recordBy(CURRENT, CANONICAL_REVIEWED), reviewedAt: REVIEWED_AT },
    verdict: 'accept',
  },
  {
    name: 'refuse-reviewed-by-others',
    why: 'Somebody added `reviewedAt` to a record that no moderator saw.',
    record: { ...RECORD, reviewedAt: REVIEWED_AT },
    verdict: 'refuse',
  },
  {
    name: 'refuse-other-review',
    why: 'The time of the review was changed after signing.',
    record: { ...recordBy(CURRENT, CANONICAL_REVIEWED), reviewedAt: '2026-01-03T10:00:00.000Z' },
    verdict: 'refuse',
  },
  {
    name: 'refuse-without-review',
    why: 'The time of the review was removed after signing.',
    record: recordBy(CURRENT, CANONICAL_REVIEWED),
    verdict: 'refuse',
  },
  {
    name: 'refuse-other-schema',
    why: 'A parameter was added after signing.',
    record: {
      ...RECORD,
      tools: [CLICK, { ...SUM, inputSchema: { type: 'object', properties: { key: {} } } }],
    },
    verdict: 'refuse',
  },
  {
    name: 'refuse-other-version',
    why: 'The record of another version is presented.',
    record: { ...RECORD, version: '1.0.1' },
    verdict: 'refuse',
  },
  {
    name: 'refuse-other-source',
    why: 'A record of the publisher is presented as one of the store.',
    record: { ...RECORD, source: 'publisher' },
    verdict: 'refuse',
  },
  {
    name: 'refuse-unknown-field',
    why: 'A tool has a field that no record has.',
    record: { ...RECORD, tools: [CLICK, { ...SUM, icons: [] } as typeof SUM] },
    verdict: 'refuse',
  },
  {
    name: 'refuse-other-key',
    why: 'A key that the client does not trust signed it.',
    record: recordBy(OTHER),
    verdict: 'refuse',
  },
  {
    name: 'refuse-head-as-record',
    why: 'The signature is one over a head statement.',
    record: recordBy(CURRENT, HEAD),
    verdict: 'refuse',
  },
];

const keys = [{ keyId: CURRENT.keyId, publicKeyPem: CURRENT.publicKeyPem }];

/** The files of `interop/tools`. */
export const toolFiles = (): InteropFiles =>
  new Map([
    ['vectors.json', interopJson(CASES.map(({ name, why, ...rest }) => ({ name, why, keys, ...rest })))],
  ]);
