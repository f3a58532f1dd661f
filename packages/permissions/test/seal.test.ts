import { expect, it } from 'vitest';
import { type SealFacts, sealsOf, verdictOf } from '../src/seal.ts';

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

it('vouches for a verified publisher, the signature, and the review of a person', () => {
  expect(rowOf({})).toEqual([
    'who vouched: Verified · acme.example',
    'signed vouched: Signed',
    'reviewed vouched: Reviewed',
    'extent plain: Uses 1 host',
  ]);
});

it('vouches for an update of a verified publisher that gave no reason to review', () => {
  expect(rowOf({ reviewed: false })).toContain('reviewed vouched: Checked update');
});

it('vouches for nothing of an unverified publisher, and states what is true', () => {
  const publisher = { verified: false, verifiedHost: 'acme.example' };
  expect(rowOf({ publisher })).toEqual([
    'who care: Not verified',
    'signed stated: Signed',
    'reviewed stated: Reviewed',
    'extent plain: Uses 1 host',
  ]);
  expect(rowOf({ publisher, reviewed: false })).toContain('reviewed open: Not reviewed');
});

it('never says that the store did what it did not', () => {
  expect(rowOf({ publishedAt: null, reviewed: true })).toEqual(
    expect.arrayContaining(['signed open: Not signed yet', 'reviewed open: Not reviewed yet']),
  );
  expect(rowOf({ reviewed: undefined })).toContain('reviewed open: Review unknown');
});

it.each([
  [{ domains: [] }, 'Uses no host'],
  [{ domains: ['a', 'b'] }, 'Uses 2 hosts'],
  [{ domains: ['*.a'] }, 'Uses all hosts of 1 domain'],
  [{ domains: ['a', '*.b', '*.c'] }, 'Uses 1 host and all hosts of 2 domains'],
  [{ grants: ['files:receive'] }, 'Uses files, 1 host'],
  [{ accounts: [{}, {}] }, 'Uses 2 accounts, 1 host'],
])('describes what an app uses: %j', (change, label) => {
  expect(rowOf(change)[3]).toBe(`extent plain: ${label}`);
});

it('names the host of a publisher, without characters that hide', () => {
  const labelOf = (publisher: SealFacts['publisher']) => verdictOf({ publisher }).label;
  expect(labelOf({ verified: true })).toBe('Verified by this store');
  expect(labelOf({ verified: true, verifiedHost: 'a\u202ebcd' })).toBe('Verified · a⟨U+202E⟩bcd');
  expect(verdictOf(FACTS)).toEqual(sealsOf(FACTS)[0]);
});

it('says what a fact rests on', () => {
  const evidenceOf = (change: Partial<SealFacts>) =>
    sealsOf({ ...FACTS, ...change }).map(({ evidence }) => evidence);
  expect(evidenceOf({})).toEqual([
    'The publisher proved that it controls the website acme.example, and the store checks this again and again.',
    'The store signed exactly these bytes and permissions on 2026-11-03. Clients refuse anything else.',
    'A moderator of the store reviewed this version before it was published on 2026-11-03.',
    'It gets no files. It needs no account. It contacts api.acme.example.',
  ]);
  const wide = { domains: ['a', 'b'], grants: ['files:receive'], accounts: [{}, {}] };
  expect(evidenceOf({ publisher: { verified: true }, reviewed: false, ...wide })).toEqual([
    'An administrator of the store verified the publisher.',
    expect.any(String),
    'The automatic checks of the store found nothing that a person must review in this version, and the store verified the publisher.',
    'It gets files that you or the agent pass to it. It uses 2 accounts that you connect. It contacts a, b.',
  ]);
  expect(evidenceOf({ publisher: { verified: false }, publishedAt: null, domains: [] })).toEqual([
    'The store has not verified who publishes this app.',
    'The store signs a version when it is published.',
    'No moderator has decided on this version yet.',
    'It gets no files. It needs no account. It contacts no host.',
  ]);
  expect(evidenceOf({ reviewed: undefined }).join()).toContain('does not say whether a person reviewed');
  expect(evidenceOf({ publisher: { verified: false }, reviewed: false }).join()).toContain(
    'No moderator has seen it.',
  );
});
