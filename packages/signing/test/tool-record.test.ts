import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  generateSigningKeyPem,
  keyRing,
  type RecordedTools,
  readSigningKey,
  signHead,
  signToolRecord,
  verifyHead,
  verifyToolRecord,
} from '../src/index.ts';
import type { ToolVector } from './support/tool-vectors.ts';

const key = readSigningKey(generateSigningKeyPem());
const ring = keyRing([key]);
const AT = '2026-01-01T10:00:00.000Z';
const RECORD: RecordedTools = {
  appId: 'com.example.notes',
  version: '1.0.0',
  source: 'store',
  recordedAt: AT,
  tools: [
    { name: 'get-sum', inputSchema: { type: 'object' } },
    { name: 'browser.click', inputSchema: { $ref: '#' }, annotations: { readOnlyHint: false } },
  ],
};

describe('a tool record', () => {
  it('verifies after JSON, and has its tools in order', () => {
    const record = signToolRecord(RECORD, key);
    expect(record.tools.map(({ name }) => name)).toEqual(['browser.click', 'get-sum']);
    expect(verifyToolRecord(JSON.parse(JSON.stringify(record)), ring)).toBe(true);
  });

  it('is no head, and no head is one', () => {
    const record = signToolRecord(RECORD, key);
    expect(verifyHead(record, ring)).toBe(false);
    const head = signHead({ appId: RECORD.appId, latest: '1.0.0', versions: [] }, AT, key);
    expect(verifyToolRecord(head, ring)).toBe(false);
    expect(verifyToolRecord({ ...record, signature: head.signature }, ring)).toBe(false);
    for (const value of [null, undefined, 1, 'x', [], {}]) expect(verifyToolRecord(value, ring)).toBe(false);
  });

  it.each((readInterop('tools') as ToolVector[]).map((vector) => [vector.name, vector] as const))(
    'has the verdict of the vector %s',
    (_name, { keys, record, verdict }) =>
      expect(verifyToolRecord(record, keyRing(keys)) ? 'accept' : 'refuse').toBe(verdict),
  );
});
