import { expect, it } from 'vitest';
import { type SealFacts, sealsOf } from '../src/seal.ts';

const FACTS: SealFacts = {
  publisher: { verified: true, verifiedHost: 'acme.example' },
  publishedAt: '2026-11-03T10:00:00.000Z',
  reviewed: true,
  grants: [],
  domains: ['api.acme.example'],
  accounts: [],
};

const rowOf = (change: Partial<SealFacts>) =>
  sealsOf({ ...FACTS, ...change }).map(({ kind, state, label }) => `${kind} ${state}: ${label}`);

it('vouches for a verified publisher, the signature, the review of a person, and the least reach', () => {
  expect(rowOf({})).toEqual([
    'who vouched: acme.example',
    'signed vouched: Signed',
    'reviewed vouched: Reviewed',
    'reach vouched: 1 host',
  ]);
});

it('never vouches for what the store did not do', () => {
  const row = rowOf({
    publisher: { verified: false, verifiedHost: 'acme.example' },
    ...{ reviewed: false, grants: ['files:receive'], accounts: [{}, {}] },
  });
  expect(row).toEqual([
    'who care: Not verified',
    'signed vouched: Signed',
    'reviewed open: Checked',
    'reach open: 1 host, files, 2 accounts',
  ]);
  expect(rowOf({ publishedAt: null, reviewed: true })).toEqual(
    expect.arrayContaining(['signed open: Not signed yet', 'reviewed open: Not reviewed yet']),
  );
  expect(rowOf({ reviewed: undefined })).toContain('reviewed open: Review unknown');
  expect(rowOf({ domains: ['*.acme.example', 'b'] })).toContain('reach care: 2 hosts');
  expect(rowOf({ domains: ['a', 'b', 'c', 'd', 'e', 'f'] })).toContain('reach care: 6 hosts');
});

it('says what a seal rests on', () => {
  const evidenceOf = (change: Partial<SealFacts>) =>
    sealsOf({ ...FACTS, ...change }).map(({ evidence }) => evidence);
  expect(evidenceOf({}).join()).toContain('It contacts api.acme.example. It gets no files.');
  expect(evidenceOf({ domains: [] }).join()).toContain('It contacts no host.');
  expect(evidenceOf({ reviewed: undefined }).join()).toContain('does not say whether a person reviewed');
});
