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

it('is wide with more than five hosts, or with all below one', () => {
  const reachOf = (change: Partial<SealFacts>) => rowOf(change)[3];
  expect(reachOf({ domains: ['a', 'b', 'c', 'd', 'e'] })).toBe('reach open: 5 hosts');
  expect(reachOf({ domains: ['a', '*.b'] })).toBe('reach care: 2 hosts');
  expect(reachOf({ domains: [] })).toBe('reach vouched: 0 hosts');
  expect(reachOf({ grants: ['files:receive'] })).toBe('reach open: 1 host, files');
  expect(reachOf({ accounts: [{}] })).toBe('reach open: 1 host, 1 account');
});

it('says what a seal rests on', () => {
  const evidenceOf = (change: Partial<SealFacts>) =>
    sealsOf({ ...FACTS, ...change }).map(({ evidence }) => evidence);
  expect(evidenceOf({})).toEqual([
    'The publisher proved that it controls the website acme.example, and the store checks this again and again.',
    'The store signed exactly these bytes and permissions on 2026-11-03. Clients refuse anything else.',
    'A moderator of the store reviewed this version before it was published on 2026-11-03.',
    'It contacts api.acme.example. It gets no files. It needs no account.',
  ]);
  const wide = { domains: ['a', 'b'], grants: ['files:receive'], accounts: [{}, {}] };
  expect(evidenceOf({ publisher: { verified: true }, reviewed: false, ...wide })).toEqual([
    'An administrator of the store verified the publisher.',
    expect.any(String),
    'The automatic checks of the store found nothing that a person must review in this version.',
    'It contacts a, b. It gets files that you or the agent pass to it. It uses 2 accounts that you connect.',
  ]);
  expect(rowOf({ publisher: { verified: true } })).toContain('who vouched: Verified');
  expect(evidenceOf({ publisher: { verified: false }, publishedAt: null, domains: [] })).toEqual([
    'The store has not verified who publishes this app.',
    'The store signs a version when it is published.',
    'No moderator has decided on this version yet.',
    'It contacts no host. It gets no files. It needs no account.',
  ]);
  expect(evidenceOf({ reviewed: undefined }).join()).toContain('does not say whether a person reviewed');
});
