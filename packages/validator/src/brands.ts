import { editDistance, skeleton, skeletonIn } from '@svc/text';

/**
 * Well-known products whose names and ids others must not take, with the hosts of their owners. Names that are also words of English are in
 * `WORDS`: an app may begin with them.
 */
const BRANDS: Readonly<Record<string, string>> = {
  Adobe: 'adobe.com',
  Airbnb: 'airbnb.com',
  Airtable: 'airtable.com',
  Algolia: 'algolia.com',
  Amazon: 'amazon.com',
  Amplitude: 'amplitude.com',
  Anthropic: 'anthropic.com',
  Apple: 'apple.com',
  Asana: 'asana.com',
  Atlassian: 'atlassian.com',
  Auth0: 'auth0.com',
  Basecamp: 'basecamp.com',
  Binance: 'binance.com',
  Bitbucket: 'bitbucket.org',
  Box: 'box.com',
  Calendly: 'calendly.com',
  Canva: 'canva.com',
  ChatGPT: 'openai.com',
  Claude: 'claude.ai',
  ClickUp: 'clickup.com',
  Cloudflare: 'cloudflare.com',
  Coinbase: 'coinbase.com',
  Confluence: 'atlassian.com',
  Contentful: 'contentful.com',
  Coursera: 'coursera.org',
  Datadog: 'datadoghq.com',
  DigitalOcean: 'digitalocean.com',
  Discord: 'discord.com',
  Docker: 'docker.com',
  DocuSign: 'docusign.com',
  Dropbox: 'dropbox.com',
  Duolingo: 'duolingo.com',
  eBay: 'ebay.com',
  Elastic: 'elastic.co',
  Etsy: 'etsy.com',
  Eventbrite: 'eventbrite.com',
  Evernote: 'evernote.com',
  Expedia: 'expedia.com',
  Facebook: 'facebook.com',
  Figma: 'figma.com',
  Firebase: 'firebase.google.com',
  Freshdesk: 'freshdesk.com',
  Gemini: 'gemini.google.com',
  GitHub: 'github.com',
  GitLab: 'gitlab.com',
  Gmail: 'gmail.com',
  GoDaddy: 'godaddy.com',
  Google: 'google.com',
  Grafana: 'grafana.com',
  Grammarly: 'grammarly.com',
  Heroku: 'heroku.com',
  HubSpot: 'hubspot.com',
  Instagram: 'instagram.com',
  Intercom: 'intercom.com',
  Jira: 'atlassian.com',
  Klarna: 'klarna.com',
  Linear: 'linear.app',
  LinkedIn: 'linkedin.com',
  Mailchimp: 'mailchimp.com',
  Mastercard: 'mastercard.com',
  MetaMask: 'metamask.io',
  Microsoft: 'microsoft.com',
  Miro: 'miro.com',
  Mixpanel: 'mixpanel.com',
  MongoDB: 'mongodb.com',
  Monday: 'monday.com',
  Netflix: 'netflix.com',
  Netlify: 'netlify.com',
  Notion: 'notion.so',
  Okta: 'okta.com',
  OneDrive: 'onedrive.live.com',
  OpenAI: 'openai.com',
  Outlook: 'outlook.com',
  PagerDuty: 'pagerduty.com',
  PayPal: 'paypal.com',
  Pinterest: 'pinterest.com',
  Pipedrive: 'pipedrive.com',
  PostHog: 'posthog.com',
  Postman: 'postman.com',
  QuickBooks: 'quickbooks.intuit.com',
  Reddit: 'reddit.com',
  Revolut: 'revolut.com',
  Salesforce: 'salesforce.com',
  Sentry: 'sentry.io',
  ServiceNow: 'servicenow.com',
  Shopify: 'shopify.com',
  Slack: 'slack.com',
  Snowflake: 'snowflake.com',
  Spotify: 'spotify.com',
  Square: 'squareup.com',
  Stripe: 'stripe.com',
  Supabase: 'supabase.com',
  Telegram: 'telegram.org',
  TikTok: 'tiktok.com',
  Trello: 'trello.com',
  Twilio: 'twilio.com',
  Twitter: 'twitter.com',
  Uber: 'uber.com',
  Vercel: 'vercel.com',
  Webflow: 'webflow.com',
  WhatsApp: 'whatsapp.com',
  WordPress: 'wordpress.com',
  Xero: 'xero.com',
  YouTube: 'youtube.com',
  Zapier: 'zapier.com',
  Zendesk: 'zendesk.com',
  Zoom: 'zoom.us',
};

/** Names of products that are words of English. */
const WORDS: ReadonlySet<string> = new Set([
  'Amplitude',
  'Apple',
  'Box',
  'Confluence',
  'Elastic',
  'Gemini',
  'Intercom',
  'Linear',
  'Monday',
  'Notion',
  'Outlook',
  'Postman',
  'Sentry',
  'Snowflake',
  'Square',
  'Stripe',
  'Telegram',
  'Zoom',
]);

/** Words that make a name sound official, and change nothing about whose name it is. */
const OFFICIAL =
  /^(?:app|ai|beta|bot|client|com|connect|connector|desktop|free|hq|inc|io|lite|mcp|mobile|my|official|our|plus|premium|pro|the)$/i;

/** Names shorter than this are only compared whole: with one letter changed they are other words. */
const MIN_EDITED = 6;

/** A known product: the name of it as it looks, and the host of its owner. */
export type Brand = { name: string; look: string; host: string; isWord: boolean };

/** The look of a name: its skeleton, with letters that look like one as one. UTS 39 has `rn` for `m`; as one letter, it is one edit. */
const lookOf = (name: string): string => skeleton(name).replaceAll('rn', 'm').replaceAll('vv', 'w');

/** Looks, and the same with `cl` read as `d`. More edits of these are other words: Clockify and Docsify. */
const withPairs = (looks: readonly string[]): string[] => [
  ...new Set([...looks, ...looks.map((look) => look.replaceAll('cl', 'd'))]),
];

type Brands = {
  all: readonly Brand[];
  byLook: ReadonlyMap<string, Brand>;
  bySkeleton: ReadonlyMap<string, Brand>;
};

let brands: Brands | undefined;

/** The brands by their looks; made at the first use. */
function allBrands(): Brands {
  if (!brands) {
    const all = Object.entries(BRANDS).map(
      ([name, host]): Brand => ({ name, host, look: lookOf(name), isWord: WORDS.has(name) }),
    );
    brands = {
      all,
      byLook: new Map(all.flatMap((brand) => withPairs([brand.look]).map((look) => [look, brand]))),
      bySkeleton: new Map(all.map((brand) => [skeleton(brand.name), brand])),
    };
  }
  return brands;
}

const wordsOf = (name: string): string[] => name.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');

/** A name without the words that make it sound official; the name itself when nothing else is left. */
function plainName(name: string): string {
  const words = wordsOf(name).filter((word) => !OFFICIAL.test(word));
  return words.length === 0 ? name : words.join(' ');
}

/** The looks of a name, with and without words that make it sound official. */
const ownLooks = (name: string): string[] => [...new Set([lookOf(name), lookOf(plainName(name))])];

/** Whether two looks are one edit apart, and long enough that this is no other word. */
const isOneEditApart = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= MIN_EDITED && editDistance(a, b, 1) === 1;

/** Words that only join the others: Notes by Acme, Notes for Acme. */
const JOINING = /^(?:and|at|by|for|from|in|of|on|to|with)$/i;

/** Names of more words are sentences, whose order matters. */
const MAX_ORDERED = 4;

/**
 * The look of the words of a name in any order, without those that join them or sound official; null for a single word. It begins with
 * what no look has, so that it equals only others of its kind.
 */
function wordLook(name: string): string | null {
  const words = wordsOf(plainName(name)).filter((word) => !JOINING.test(word));
  return words.length < 2 || words.length > MAX_ORDERED ? null : `~${words.map(lookOf).sort().join(' ')}`;
}

/** The looks under which a name is looked up: its own, that of its words, and those with one letter less. Names one edit apart share one of them. */
export function looksOf(name: string): string[] {
  const looks = ownLooks(name);
  const words = wordLook(name);
  const shorter = looks
    .filter(({ length }) => length >= MIN_EDITED)
    .flatMap((look) => Array.from(look, (_, at) => [...look].toSpliced(at, 1).join('')));
  const all = [...withPairs(looks), ...shorter, ...(words === null ? [] : [words])];
  return [...new Set(all)].filter((look) => look !== '');
}

/** The looks of the words that a longer name begins with, as long as names must be to be compared so. */
export function beginningsOf(name: string): string[] {
  const words = wordsOf(name);
  const looks = words.slice(1).map((_, at) => lookOf(words.slice(0, at + 1).join(' ')));
  return withPairs(looks.filter(({ length }) => length >= MIN_EDITED));
}

/** Whether a longer name begins with a whole other name. */
export function beginsWith(name: string, other: string): boolean {
  const beginnings = beginningsOf(name);
  return withPairs([lookOf(other)]).some((look) => beginnings.includes(look));
}

/** Whether two names look alike: the same look, the same words in another order, or one edit apart. */
export function areAlike(a: string, b: string): boolean {
  const [looks, others] = [ownLooks(a), ownLooks(b)];
  const same = withPairs(others);
  const words = wordLook(a);
  return (
    (words !== null && words === wordLook(b)) ||
    withPairs(looks).some((look) => same.includes(look)) ||
    looks.some((look) => others.some((other) => isOneEditApart(look, other)))
  );
}

/** The brand with one of these looks. */
const brandAmong = (looks: readonly string[]): Brand | undefined =>
  withPairs(looks)
    .map((look) => allBrands().byLook.get(look))
    .find((brand) => brand !== undefined);

/** The brand that a part of a name spells, also with digits or pairs of letters as letters. */
function brandIn(text: string): Brand | undefined {
  const { bySkeleton } = allBrands();
  const found = skeletonIn(text, new Set(bySkeleton.keys()));
  if (found !== null) return bySkeleton.get(found);
  return brandAmong([lookOf(text)]);
}

/**
 * The brand whose name an app's name is, but for lookalike letters, one edit, or words that make it sound official; or begins with, unless
 * the brand is a word of English.
 */
export function brandLike(name: string): Brand | undefined {
  const { all } = allBrands();
  const looks = ownLooks(name);
  const whole = brandAmong(looks);
  if (whole) return whole;
  const plain = plainName(name);
  const spelt = wordsOf(plain).length === 1 ? brandIn(plain) : undefined;
  if (spelt) return spelt;
  const first = brandIn(wordsOf(name)[0] ?? '');
  if (first && !first.isWord) return first;
  // An edit of a word of English is often another word of English: Motion, Strike, Squire.
  return all.find((brand) => !brand.isWord && looks.some((look) => isOneEditApart(look, brand.look)));
}

/** The host that an id in reverse-DNS notation begins with, if it is that of a brand. */
export function brandOfId(id: string): Brand | undefined {
  const parts = id.split('.');
  return allBrands().all.find(({ host }) => {
    const reversed = host.split('.').reverse();
    return reversed.length < parts.length && reversed.every((part, at) => part === parts[at]);
  });
}
