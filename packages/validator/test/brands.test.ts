import { corpusApps, KNOWN_APPS } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { areAlike, beginsWith, brandLike, brandOfId } from '../src/index.ts';

const BRANDS = (
  'Adobe Airbnb Airtable Algolia Amazon Anthropic Asana Atlassian Basecamp Binance Bitbucket Calendly Canva Claude ClickUp Cloudflare ' +
  'Coinbase Contentful Coursera Datadog DigitalOcean Discord Docker DocuSign Dropbox Duolingo Evernote Eventbrite Expedia Facebook Figma ' +
  'Firebase Freshdesk GitHub GitLab Gmail GoDaddy Google Grafana Grammarly Heroku HubSpot Instagram Klarna LinkedIn Mailchimp Mastercard ' +
  'MetaMask Microsoft Mixpanel MongoDB Netflix Netlify OneDrive OpenAI PagerDuty PayPal Pinterest Pipedrive PostHog QuickBooks Reddit ' +
  'Revolut Salesforce ServiceNow Shopify Slack Spotify Supabase TikTok Trello Twilio Twitter Vercel Webflow WhatsApp WordPress YouTube ' +
  'Zapier Zendesk'
).split(' ');

const swap = (text: string, from: string, to: string) =>
  text.replaceAll(from, to).replaceAll(from.toUpperCase(), to);
const middle = (text: string) => Math.floor(text.length / 2);

/** Ways to write a name so that readers take it for another. The last five change a letter, which needs a name of six letters. */
const TRICKS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => swap(name, 'a', '\u0430'),
  (name) => swap(name, 'e', '\u0435'),
  (name) => swap(name, 'o', '\u043e'),
  (name) => swap(name, 'l', 'I'),
  (name) => [...name].join(' '),
  (name) => [...name].join('.'),
  (name) => [...name].map((letter) => `${letter}\u0301`).join(''),
  (name) =>
    [...name]
      .map((letter) => (/[a-z]/i.test(letter) ? String.fromCodePoint(letter.charCodeAt(0) + 0xfee0) : letter))
      .join(''),
  (name) => `${name} Official`,
  (name) => `The ${name} App`,
  (name) => `${name} Pro`,
  (name) => `${name} Notes`,
  (name) => `${swap(swap(swap(name, 'm', 'rn'), 'w', 'vv'), 'd', 'cl')} Notes`,
  (name) => swap(swap(swap(name, 'm', 'rn'), 'w', 'vv'), 'd', 'cl'),
  (name) => `${name.slice(0, 2)}\u200b${name.slice(2)}`,
  (name) => name.slice(0, middle(name)) + name.slice(middle(name) + 1),
  (name) => name.slice(0, middle(name)) + name.charAt(middle(name)) + name.slice(middle(name)),
  (name) => `${name}s`,
  (name) => `${name.slice(0, -1)}q`,
];
const EDITS = 4;

describe('names of two apps', () => {
  it.each([
    ['Clashboard', 'Dashboard', true],
    ['Dashboard', 'Clashboard', true],
    ['Tvvist', 'Twist', true],
    ['Clockify', 'Docsify', false],
    ['Notes', 'Votes', false],
    ['My Clippings', 'Clippings', true],
    ['Notes Acme', 'Acme Notes', true],
    ['Notes by Acme', 'Acme Notes', true],
    ['My Acme Notes', 'Acme Notes', true],
    ['Acme Lists', 'Acme Notes', false],
    ['Notes by Zenith', 'Acme Notes', false],
    ['Our Notes', 'Acme Notes', false],
  ])('%s and %s: %s', (one, other, alike) => expect(areAlike(one, other)).toBe(alike));

  it.each([
    ['Pinboard Sync', 'Pinboard', true],
    ['PlNBOARD: Team Sync', 'pin board', true],
    ['Pinboard Team Sync', 'Pinboard Team', true],
    ['Clashboard Sync', 'Dashboard', true],
    ['Pinboards', 'Pinboard', false],
    ['Pinboard', 'Pinboard Sync', false],
    ['My Pinboard', 'Pinboard', false],
    ['Notes Sync', 'Notes', false],
  ])('%s begins with %s: %s', (one, other, begins) => expect(beginsWith(one, other)).toBe(begins));
});

describe('names that look like a brand', () => {
  it('are found in each way of writing them', () => {
    const missed = BRANDS.flatMap((brand) =>
      TRICKS.flatMap((trick, index) => {
        // One letter less than six is another word.
        if (index >= TRICKS.length - EDITS && brand.length < 7) return [];
        const written = trick(brand);
        return brandLike(written) ? [] : [`${brand}: ${written}`];
      }),
    );
    expect(missed).toEqual([]);
  });

  it('are rare among the names of honest apps', () => {
    const names = [
      ...KNOWN_APPS.map(({ name }) => name),
      ...Array.from(corpusApps(2_000), ({ name }) => name),
    ];
    const alarms = names.filter((name) => brandLike(name));
    expect(alarms.length / names.length).toBeLessThan(0.005);
  });

  it.each([
    'Notes for Slack',
    'Square Breathing',
    'Linear Algebra',
    'Boxes',
    'Apple Pie Recipes',
    'Zoom Lens Guide',
    'Motion',
  ])('are not %j', (name) => {
    expect(brandLike(name)).toBeUndefined();
  });
});

describe('ids that begin with the host of a brand', () => {
  it('are found by whole parts', () => {
    expect(brandOfId('com.slack.notes')?.name).toBe('Slack');
    expect(brandOfId('com.slackers.notes')).toBeUndefined();
    expect(brandOfId('com.example.slack')).toBeUndefined();
    expect(brandOfId('com.slack')).toBeUndefined();
  });
});
