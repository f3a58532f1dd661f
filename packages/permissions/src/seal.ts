import { count } from '@svc/text/quantity';

/** What a store vouches for, and what it does not: `open` is not vouched for, `care` is worth a look. */
export type Seal = {
  kind: 'who' | 'signed' | 'reviewed' | 'reach';
  state: 'vouched' | 'open' | 'care';
  label: string;
  /** The evidence, as a sentence. */
  evidence: string;
};

/** The facts of a listed version that its seals are made of. */
export type SealFacts = {
  publisher: { verified: boolean; verifiedHost?: string | undefined };
  /** Null before it is published. */
  publishedAt: string | null;
  /** Whether a moderator reviewed it; undefined when the store does not say. */
  reviewed?: boolean | undefined;
  grants: readonly string[];
  domains: readonly string[];
  accounts: readonly unknown[];
};

const MANY_HOSTS = 5;

function who({ publisher: { verified, verifiedHost = '' } }: SealFacts): Seal {
  if (!verified)
    return {
      ...{ kind: 'who', state: 'care', label: 'Not verified' },
      evidence: 'The store has not verified who publishes this app.',
    };
  const evidence =
    verifiedHost === ''
      ? 'An administrator of the store verified the publisher.'
      : `The publisher proved that it controls the website ${verifiedHost}, and the store checks this again and again.`;
  return { kind: 'who', state: 'vouched', label: verifiedHost || 'Verified', evidence };
}

function signed({ publishedAt }: SealFacts): Seal {
  if (publishedAt === null)
    return {
      ...{ kind: 'signed', state: 'open', label: 'Not signed yet' },
      evidence: 'The store signs a version when it is published.',
    };
  return {
    ...{ kind: 'signed', state: 'vouched', label: 'Signed' },
    evidence: `The store signed exactly these bytes and permissions on ${publishedAt.slice(0, 10)}. Clients refuse anything else.`,
  };
}

const OPEN_REVIEW = {
  waiting: ['Not reviewed yet', 'No moderator has decided on this version yet.'],
  checked: [
    'Checked',
    'The automatic checks of the store found nothing that a person must review in this version.',
  ],
  unknown: ['Review unknown', 'This store does not say whether a person reviewed this version.'],
} as const;

function reviewed({ reviewed: isReviewed, publishedAt }: SealFacts): Seal {
  if (isReviewed && publishedAt !== null)
    return {
      ...{ kind: 'reviewed', state: 'vouched', label: 'Reviewed' },
      evidence: `A moderator of the store reviewed this version before it was published on ${publishedAt.slice(0, 10)}.`,
    };
  const state = publishedAt === null ? 'waiting' : isReviewed === false ? 'checked' : 'unknown';
  const [label, evidence] = OPEN_REVIEW[state];
  return { kind: 'reviewed', state: 'open', label, evidence };
}

function reach({ grants, domains, accounts }: SealFacts): Seal {
  const files = grants.includes('files:receive');
  const isWide = domains.length > MANY_HOSTS || domains.some((host) => host.startsWith('*.'));
  const parts = [
    count(domains.length, 'host'),
    ...(files ? ['files'] : []),
    ...(accounts.length > 0 ? [count(accounts.length, 'account')] : []),
  ];
  const isLeast = !files && accounts.length === 0 && domains.length <= 1;
  const evidence = [
    domains.length === 0 ? 'It contacts no host.' : `It contacts ${domains.join(', ')}.`,
    files ? 'It gets files that you or the agent pass to it.' : 'It gets no files.',
    accounts.length === 0
      ? 'It needs no account.'
      : `It uses ${count(accounts.length, 'account')} that you connect.`,
  ].join(' ');
  return {
    kind: 'reach',
    state: isWide ? 'care' : isLeast ? 'vouched' : 'open',
    label: parts.join(', '),
    evidence,
  };
}

/** The seal row of a version: who publishes it, what is signed, who reviewed it, and how far it reaches. */
export const sealsOf = (facts: SealFacts): Seal[] => [
  who(facts),
  signed(facts),
  reviewed(facts),
  reach(facts),
];
