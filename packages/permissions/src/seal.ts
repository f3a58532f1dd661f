import { visible } from '@svc/text';
import { count } from '@svc/text/quantity';

/**
 * What a fact is to the store, and its icon: `vouched` for, `stated` without vouching for who is behind it, `open` (not so, or not
 * known), worth `care`, or `plain`: a description. Only what the store vouches for has the filled mark.
 */
const ICONS = {
  vouched: 'seal-vouched',
  stated: 'check',
  open: 'seal-open',
  care: 'seal-care',
  plain: 'globe',
} as const;

type SealState = keyof typeof ICONS;

/** A fact about a listed version, as every page and program shows it. */
export type Seal = {
  kind: 'who' | 'signed' | 'reviewed' | 'extent';
  state: SealState;
  /** In the tables of icons of `packages/ui`. */
  icon: (typeof ICONS)[SealState];
  label: string;
  /** The evidence, as a sentence. */
  evidence: string;
};

const seal = (kind: Seal['kind'], state: SealState, label: string, evidence: string): Seal => ({
  ...{ kind, state, icon: ICONS[state], label, evidence },
});

/** Who publishes an app, as far as its store verified it. */
export type SealPublisher = { publisher: { verified: boolean; verifiedHost?: string | undefined } };

/** The facts of a listed version that its seals are made of. */
export type SealFacts = SealPublisher & {
  /** Null before it is published. */
  publishedAt: string | null;
  /** Whether a moderator reviewed it; undefined when the store does not say. */
  reviewed?: boolean | undefined;
  grants: readonly string[];
  domains: readonly string[];
  accounts: readonly unknown[];
};

const ADMINISTRATOR = 'An administrator of the store verified the publisher.';

/**
 * The one worded verdict of an app, for cards, rows and badges: whether the store verified its publisher, and the host. The host is
 * text of a store, and may be long: wrap it, and never cut its end, which says whose it is.
 */
export function verdictOf({ publisher: { verified, verifiedHost = '' } }: SealPublisher): Seal {
  if (!verified)
    return seal('who', 'care', 'Not verified', 'The store has not verified who publishes this app.');
  const host = visible(verifiedHost);
  if (host === '') return seal('who', 'vouched', 'Verified by this store', ADMINISTRATOR);
  const evidence = `The publisher proved that it controls the website ${host}, and the store checks this again and again.`;
  return seal('who', 'vouched', `Verified · ${host}`, evidence);
}

/** A fact that the store knows: vouched for only where the store also knows whose app it is. */
const knownOf = ({ publisher }: SealPublisher): 'vouched' | 'stated' =>
  publisher.verified ? 'vouched' : 'stated';

function signed(facts: SealFacts): Seal {
  const { publishedAt } = facts;
  if (publishedAt === null)
    return seal('signed', 'open', 'Not signed yet', 'The store signs a version when it is published.');
  const evidence = `The store signed exactly these bytes and permissions on ${publishedAt.slice(0, 10)}. Clients refuse anything else.`;
  return seal('signed', knownOf(facts), 'Signed', evidence);
}

const WAITING = 'No moderator has decided on this version yet.';
const UNKNOWN = 'This store does not say whether a person reviewed this version.';
const CHECKED = 'The automatic checks of the store found nothing that a person must review in this version';

function reviewed(facts: SealFacts): Seal {
  const { reviewed: isReviewed, publishedAt, publisher } = facts;
  if (publishedAt === null) return seal('reviewed', 'open', 'Not reviewed yet', WAITING);
  if (isReviewed === undefined) return seal('reviewed', 'open', 'Review unknown', UNKNOWN);
  const evidence = `A moderator of the store reviewed this version before it was published on ${publishedAt.slice(0, 10)}.`;
  if (isReviewed) return seal('reviewed', knownOf(facts), 'Reviewed', evidence);
  return publisher.verified
    ? seal('reviewed', 'vouched', 'Checked update', `${CHECKED}, and the store verified the publisher.`)
    : seal('reviewed', 'open', 'Not reviewed', `${CHECKED}. No moderator has seen it.`);
}

const hostsText = (domains: readonly string[]): string => {
  const whole = domains.filter((host) => host.startsWith('*.'));
  return whole.length === 0
    ? count(domains.length, 'host')
    : [
        ...(whole.length < domains.length ? [count(domains.length - whole.length, 'host')] : []),
        `all hosts of ${count(whole.length, 'domain')}`,
      ].join(' and ');
};

/** What the app gets and contacts, counted. It is a description, and no seal: an app with accounts is no worse than one without. */
function extent({ grants, domains, accounts }: SealFacts): Seal {
  const files = grants.includes('files:receive');
  const parts = [
    ...(files ? ['files'] : []),
    ...(accounts.length > 0 ? [count(accounts.length, 'account')] : []),
    domains.length === 0 ? 'no host' : hostsText(domains),
  ].join(', ');
  const evidence = [
    files ? 'It gets files that you or the agent pass to it.' : 'It gets no files.',
    accounts.length === 0
      ? 'It needs no account.'
      : `It uses ${count(accounts.length, 'account')} that you connect.`,
    domains.length === 0 ? 'It contacts no host.' : `It contacts ${domains.map(visible).join(', ')}.`,
  ].join(' ');
  return seal('extent', 'plain', `Uses ${parts}`, evidence);
}

/**
 * The four facts of a version: who publishes it, what is signed, who reviewed it, and what it gets and contacts. Nothing of an app whose
 * publisher is not verified is `vouched` for, so that no such app shows more filled marks than one of a verified publisher.
 */
export const sealsOf = (facts: SealFacts): Seal[] => [
  verdictOf(facts),
  signed(facts),
  reviewed(facts),
  extent(facts),
];
