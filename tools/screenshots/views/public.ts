import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import type { View } from '../view.ts';

const PASSWORD = 'correct horse battery';

/** Pages that anyone can open. */
export const PUBLIC_VIEWS: readonly View[] = [
  { name: 'catalogue', routes: ['cataloguePage'], state: 'empty', world: 'empty', path: '/', ready: 'h1' },
  {
    name: 'catalogue',
    routes: ['cataloguePage'],
    state: 'usual',
    world: 'usual',
    path: '/',
    ready: '.app-card',
  },
  {
    name: 'catalogue',
    routes: ['cataloguePage'],
    state: 'full',
    world: 'full',
    path: '/',
    ready: '.app-card',
  },
  {
    name: 'catalogue',
    routes: ['cataloguePage'],
    state: 'failing',
    world: 'usual',
    path: '/?q=nothing-at-all',
    ready: '.empty-state, h1',
  },
  {
    name: 'search',
    routes: ['cataloguePage'],
    state: 'full',
    world: 'full',
    path: '/?q=taking+notes+and+edit+photos',
    ready: '.app-row',
  },
  {
    name: 'category',
    routes: ['categoryPage'],
    state: 'empty',
    world: 'empty',
    path: '/categories/games',
    ready: 'h1',
  },
  {
    name: 'category',
    routes: ['categoryPage'],
    state: 'usual',
    world: 'usual',
    path: '/categories/design',
    ready: '.app-card',
  },
  {
    name: 'category',
    routes: ['categoryPage'],
    state: 'full',
    world: 'full',
    path: '/categories/productivity?sort=name',
    ready: '.app-card',
  },
  {
    name: 'category',
    routes: ['categoryPage'],
    state: 'failing',
    world: 'usual',
    path: '/categories/nothing',
    ready: 'h1',
  },
  {
    name: 'app',
    routes: ['appPage'],
    state: 'usual',
    world: 'usual',
    path: '/apps/com.quayside.notes',
    ready: 'h1',
  },
  {
    name: 'app',
    routes: ['appPage'],
    state: 'full',
    world: 'full',
    path: '/apps/com.long.names',
    ready: 'h1',
  },
  {
    name: 'app',
    routes: ['appPage'],
    state: 'failing',
    world: 'usual',
    path: '/apps/com.example.nothing',
    ready: 'h1',
  },
  {
    name: 'publisher',
    routes: ['publisherPage'],
    state: 'empty',
    world: 'usual',
    path: '/publishers/jane-doe',
    ready: 'h1',
  },
  {
    name: 'publisher',
    routes: ['publisherPage'],
    state: 'usual',
    world: 'usual',
    path: '/publishers/quayside',
    ready: '.app-card',
  },
  {
    name: 'publisher',
    routes: ['publisherPage'],
    state: 'full',
    world: 'full',
    path: '/publishers/long',
    ready: '.app-card',
  },
  {
    name: 'publisher',
    routes: ['publisherPage'],
    state: 'failing',
    world: 'usual',
    path: '/publishers/unknown',
    ready: 'h1',
  },
  {
    name: 'nothing',
    routes: ['docsPage'],
    state: 'failing',
    world: 'usual',
    path: '/there-is/nothing',
    ready: 'h1',
  },
  {
    name: 'version-status',
    routes: ['versionStatus'],
    state: 'usual',
    world: 'usual',
    path: '/api/apps/com.quayside.notes/versions/1.0.0/status',
    ready: 'h1',
  },
  {
    name: 'policy-page',
    routes: ['policyPage'],
    state: 'usual',
    world: 'usual',
    path: '/policy',
    ready: 'h1',
  },
  {
    name: 'transparency',
    routes: ['transparencyPage'],
    state: 'usual',
    world: 'usual',
    path: '/transparency',
    ready: 'h1',
  },
  {
    name: 'review-clock',
    routes: ['reviewClock'],
    state: 'usual',
    world: 'usual',
    path: '/api/review-clock',
    ready: 'h1',
  },
  { name: 'docs', routes: ['docsIndex'], state: 'usual', world: 'usual', path: '/docs', ready: 'h1' },
  {
    name: 'docs-search',
    routes: ['docsIndex'],
    state: 'full',
    world: 'usual',
    path: '/docs?q=publish',
    ready: 'h1',
  },
  {
    name: 'docs-search',
    routes: ['docsIndex'],
    state: 'empty',
    world: 'usual',
    path: '/docs?q=zzzzzzzz',
    ready: 'h1',
  },
  {
    name: 'document',
    routes: ['docsPage'],
    state: 'usual',
    world: 'usual',
    path: '/docs/client',
    ready: 'h1',
  },
  { name: 'codes', routes: ['codes'], state: 'full', world: 'usual', path: '/docs/codes', ready: 'h1' },
  {
    name: 'code',
    routes: ['code'],
    state: 'usual',
    world: 'usual',
    path: '/docs/codes/bundle.obfuscated',
    ready: 'h1',
  },
  {
    name: 'code',
    routes: ['code'],
    state: 'failing',
    world: 'usual',
    path: '/docs/codes/no.such',
    ready: 'h1',
  },
  { name: 'api', routes: ['docs'], state: 'full', world: 'usual', path: '/api/docs', ready: 'h1' },
  { name: 'cli', routes: ['cliPage'], state: 'usual', world: 'usual', path: '/cli', ready: 'h1' },
  {
    name: 'check',
    routes: ['checkPage'],
    state: 'empty',
    world: 'usual',
    path: '/check',
    ready: 'input[type=file]',
  },
  {
    name: 'check',
    routes: ['checkPage'],
    state: 'failing',
    world: 'usual',
    path: '/check',
    ready: 'input[type=file]',
    act: async (page) => {
      const file = {
        name: 'plugin.json',
        mimeType: 'application/json',
        buffer: Buffer.from('{"id":"Nope"}'),
      };
      await page.locator('input[type=file]').first().setInputFiles(file);
      await page.getByText('manifest.', { exact: false }).first().waitFor();
    },
  },
  {
    name: 'relay',
    routes: ['relayCallback'],
    state: 'failing',
    world: 'usual',
    path: '/apps/oauth/callback?code=a&state=b',
    ready: 'h1',
  },
  {
    name: 'relay-digits',
    routes: ['relayCallback'],
    state: 'usual',
    world: 'usual',
    path: () => `/apps/oauth/callback?code=a&state=${randomUUID()}`,
    ready: '#digits',
    act: async (page) => {
      // A client that waits at another address than the browser.
      const { port, searchParams } = new URL(page.url());
      const query = new URLSearchParams({
        state: searchParams.get('state') ?? '',
        app: 'com.quayside.notes',
      });
      const from = { host: '127.0.0.1', port, localAddress: '127.0.0.2' };
      const asked = get({ ...from, path: `/api/apps/oauth/result?${query}` });
      const [answer] = await once(asked, 'response');
      answer.resume();
      await page.reload();
    },
  },
  {
    name: 'relay-digits',
    routes: ['relayDigits'],
    state: 'failing',
    world: 'usual',
    path: () => `/apps/oauth/callback?code=a&state=${randomUUID()}`,
    ready: '#digits',
    act: async (page) => {
      await page.getByLabel('Digits').fill('000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'sign-in', routes: ['signInPage'], state: 'usual', world: 'usual', path: '/sign-in', ready: 'h1' },
  {
    name: 'sign-in',
    routes: ['signIn'],
    state: 'failing',
    world: 'usual',
    path: '/sign-in',
    ready: 'h1',
    act: async (page) => {
      await page.getByLabel('Email address').fill('unknown@example.com');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.locator('[role=alert]:not(:empty)').first().waitFor();
    },
  },
  {
    name: 'sign-in-provider',
    routes: ['beginProviderSignIn'],
    state: 'failing',
    world: 'usual',
    path: '/sign-in/unknown',
    ready: 'h1',
  },
  {
    name: 'sign-in-provider-back',
    routes: ['endProviderSignIn'],
    state: 'failing',
    world: 'usual',
    path: '/sign-in/unknown/callback?code=a&state=b',
    ready: 'h1',
  },
  { name: 'sign-up', routes: ['signUpPage'], state: 'usual', world: 'usual', path: '/sign-up', ready: 'h1' },
  {
    name: 'sign-up',
    routes: ['signUp'],
    state: 'failing',
    world: 'usual',
    path: '/sign-up',
    ready: 'h1',
    act: async (page) => {
      await page.getByLabel('Name').fill('Ann');
      await page.getByLabel('Email address').fill('ann@example.com');
      await page.getByLabel('Password').fill('ann@example.com');
      await page.getByRole('button', { name: 'Create account', exact: true }).click();
      await page.locator('[role=alert]:not(:empty)').first().waitFor();
    },
  },
  {
    name: 'forgotten',
    routes: ['forgottenPage'],
    state: 'failing',
    world: 'usual',
    path: '/forgotten',
    ready: 'h1',
  },
  {
    name: 'reset',
    routes: ['resetPage', 'reset'],
    state: 'failing',
    world: 'usual',
    path: '/reset?key=not-a-key',
    ready: 'h1',
  },
  {
    name: 'reset',
    routes: ['resetPage'],
    state: 'usual',
    world: 'usual',
    path: ({ reset = '' }) => reset,
    ready: 'h1',
  },
  {
    name: 'confirm',
    routes: ['confirmPage', 'confirm'],
    state: 'failing',
    world: 'usual',
    viewer: 'person',
    path: '/confirm?key=not-a-key',
    ready: 'h1',
  },
  {
    name: 'confirm',
    routes: ['confirmPage'],
    state: 'usual',
    world: 'usual',
    viewer: 'person',
    path: ({ confirm = '' }) => confirm,
    ready: 'h1',
  },
  {
    name: 'unsubscribe',
    routes: ['unsubscribePage', 'unsubscribe'],
    state: 'failing',
    world: 'usual',
    path: '/unsubscribe?key=not-a-key',
    ready: 'h1',
  },
  {
    name: 'setup',
    routes: ['setupPage', 'setup'],
    state: 'empty',
    world: 'bare',
    path: ({ setup = '' }) => setup,
    ready: 'h1',
  },
  { name: 'setup', routes: ['setupPage'], state: 'failing', world: 'usual', path: '/setup', ready: 'h1' },
];
