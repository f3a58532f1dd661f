import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { digitsOf } from '../../../apps/store/src/core/relay/routes.ts';
import { hashSecret } from '../../../apps/store/src/platform/secret.ts';
import type { View } from '../view.ts';

const PASSWORD = 'correct horse battery';

/** Pages with which users sign in, begin an account or a store, and come back from another server. */
export const SIGN_IN_VIEWS: readonly View[] = [
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
  {
    name: 'relay-confirmed',
    routes: ['relayDigits'],
    state: 'usual',
    world: 'usual',
    path: () => `/apps/oauth/callback?code=a&state=${randomUUID()}`,
    ready: '#digits',
    act: async (page) => {
      const state = new URL(page.url()).searchParams.get('state') ?? '';
      await page.getByLabel('Digits').fill(digitsOf(hashSecret(state)));
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'Confirmed' }).waitFor();
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
