import type { Manifest } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { automationOf, png, sampleBundle } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import {
  BAD_INPUT,
  fillReviews,
  LONG_SCREENSHOTS,
  THREE_ALPHABETS,
} from '../../../apps/web/test/support/bad-input.ts';
import { fillQueue } from '../../../apps/web/test/support/long-queue.ts';
import { openPage } from '../../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../../apps/web/test/support/real-store.ts';
import { openAs } from '../../../apps/web/test/support/staff.ts';
import { APPS, PUBLISHERS, type Shown, type State } from './pages.ts';

/** How long a page may load after it is there, in milliseconds. */
const IDLE_MS = 5_000;

/** A word without a break opportunity. */
const WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
  .repeat(3)
  .slice(0, 200);
const RTL = 'מערכת ניהול הפתקים של החברה הגדולה';

const LONG: Partial<Manifest> = {
  ...BAD_INPUT,
  name: WORD.slice(0, 40),
  author: RTL.slice(0, 30),
};

/** How many reviews the app of the full state has. */
const REVIEWS = 2_000;

const WIDENED: Partial<Manifest> = {
  version: '1.1.0',
  grants: ['files:receive', 'project:write'],
  remote: {
    mcpUrl: 'https://mcp.example.com/mcp',
    domains: ['api.example.com', `${'a-long-label-of-a-host.'.repeat(8)}example.com`],
  },
};

/** Sends a request as the user of a page. */
const ask = (page: Page, method: string, path: string, json?: object) =>
  page.evaluate(
    async ({ method, path, json }) => {
      const { csrf } = (await (await fetch('/api/people/me')).json()) as { csrf: string };
      const headers = { 'Content-Type': 'application/json', 'X-Svc-Csrf': csrf };
      const answer = await fetch(path, { method, headers, ...(json && { body: JSON.stringify(json) }) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
      return answer.json();
    },
    { method, path, json },
  );

/** A store with its users, which is filled from one state to the next. */
export async function openStage(browser: Browser) {
  const store = await openRealStore();
  const automation = automationOf(store.url, store.adminToken);
  const [anna, ben, stranger] = await Promise.all([
    openAs(browser, store, { name: 'Anna', role: 'administrator', path: '/account' }),
    openAs(browser, store, { name: 'Ben', role: 'person', path: '/account' }),
    openPage(browser, `${store.url}/sign-in`),
  ]);
  const people = { anna, ben, stranger };

  async function addApps(state: State, text: Partial<Manifest>, note: string) {
    const [id, publisher] = [APPS[state], PUBLISHERS[state]];
    const token = await automation.publisherToken(publisher);
    const shots = state === 'full' ? LONG_SCREENSHOTS : {};
    const manifest = {
      id,
      publisher,
      ...text,
      branding: { icon: 'assets/icon.png', mark: 'assets/mark.svg', screenshots: Object.keys(shots) },
    };
    const readme = { 'README.md': `# ${note}\n\n${note}\n`, ...shots };
    await automation.publish(sampleBundle(manifest, readme), token);
    const changelog = { 'CHANGELOG.md': `## 1.1.0\n\n${note}\n`, ...shots };
    await automation.upload(sampleBundle({ ...manifest, ...WIDENED }, changelog), token);
    await automation.ask(
      apiRequest('POST /api/moderation/apps/:appId/versions/:version/messages', {
        params: { appId: id, version: '1.1.0' },
        json: { text: note, requestChanges: true },
      }),
    );
    const other = sampleBundle({ ...manifest, id: `${id.slice(0, 50)}.other` }, shots);
    const rejected = await automation.upload(other, token);
    await automation.ask(
      apiRequest('POST /api/moderation/apps/:appId/versions/:version/reject', {
        params: { appId: rejected.appId, version: '1.0.0' },
        json: { note },
      }),
    );
  }

  /** Ben rates the app, its publisher replies, and Ben's review is flagged. */
  async function addReview(state: State, text: string) {
    const app = APPS[state];
    const installId = `installation-of-${state}`;
    const bundle = await fetch(`${store.url}/api/apps/${app}/versions/1.0.0/bundle`, {
      headers: { 'X-Svc-Install-Id': installId },
    });
    await bundle.arrayBuffer();
    const reviews = `/api/apps/${app}/reviews`;
    await ask(ben.page, 'PUT', `${reviews}/mine`, {
      rating: 4,
      title: text.slice(0, 80),
      body: text,
      installId,
    });
    const { reviews: all } = (await ask(anna.page, 'GET', reviews)) as { reviews: { id: string }[] };
    await ask(anna.page, 'PUT', `${reviews}/${all[0]?.id}/reply`, { body: text });
    await ask(anna.page, 'POST', `${reviews}/${all[0]?.id}/flag`, { reason: 'off-topic', note: text });
  }

  async function addPublisher(state: State, name: string, website: string) {
    const path = `/api/publishers/${PUBLISHERS[state]}`;
    await ask(anna.page, 'POST', '/api/publishers', { slug: PUBLISHERS[state], name, website });
    await ask(anna.page, 'POST', `${path}/invitations`, { role: 'member', email: 'carl@example.com' });
    const token = {
      name: `${name.slice(0, 60)} builds`,
      scopes: ['publish:new', 'publish:update'],
      days: 90,
    };
    await ask(anna.page, 'POST', `${path}/tokens`, token);
    await ask(anna.page, 'POST', '/api/people/me/tokens', token);
  }

  /** Adds the data of each state to that of the previous one. */
  const FILLS: Readonly<Record<State, () => Promise<void>>> = {
    async empty() {
      await ask(anna.page, 'POST', '/api/publishers', { slug: PUBLISHERS.empty, name: 'Fresh' });
    },
    async usual() {
      await addPublisher('usual', 'Acme', 'https://acme.example');
      await addApps('usual', {}, 'Why does it contact another host?\nPlease say so in the description.');
      await addReview('usual', 'Finds every note again. I use it each day.');
    },
    async full() {
      await addPublisher('full', `${RTL} ${WORD}`.slice(0, 80), `https://${'w'.repeat(60)}.example`);
      await addApps('full', LONG, `${WORD} ${RTL}\n${'many words '.repeat(30)}`);
      await addReview('full', `${WORD} ${RTL}`);
      fillReviews(store.dataDir, APPS.full, REVIEWS);
      // A publisher without a website, in each alphabet.
      await automation.addPublisher({ slug: 'no-host', name: THREE_ALPHABETS.join(' ').slice(0, 80) });
      const hostless = await automation.publisherToken('no-host');
      for (const [n, name] of THREE_ALPHABETS.entries()) {
        const manifest = { ...BAD_INPUT, id: `com.alphabet.number-${n}`, publisher: 'no-host' };
        await automation.publish(sampleBundle({ ...manifest, name: name.slice(0, 40) }), hostless);
      }
      const token = await automation.publisherToken(PUBLISHERS.full);
      for (let n = 1; n <= 8; n += 1) {
        const files = { 'assets/one.png': png(640, 400, n * 20) };
        const manifest = { ...LONG, id: `com.full.number-${n}`, publisher: PUBLISHERS.full };
        await automation.upload(
          sampleBundle({ ...manifest, name: `${n} ${WORD}`.slice(0, 40) }, files),
          token,
        );
      }
      fillQueue(store.dataDir, 'com.full.number-8', 60);
    },
    async failing() {
      const body = {
        code: 'unavailable',
        message: 'The store is not available right now. Try again in a minute.',
        requestId: '00000000000000000000000000',
      };
      const refuse = { status: 503, contentType: 'application/json', body: JSON.stringify(body) };
      // The session request succeeds; the requests for the page's data fail.
      const isRefused = (url: URL) => url.pathname.startsWith('/api/') && url.pathname !== '/api/people/me';
      await anna.page.route(isRefused, (route) => route.fulfill(refuse));
    },
  };

  /** Opens a page in the browser of its user, and waits until it is rendered. */
  async function open({ as, path, ready }: Shown): Promise<Page> {
    const { page } = people[as];
    await page.goto(store.url + path);
    await page.locator(ready).first().waitFor();
    // The worker that reads bundles keeps its requests open for Playwright, so that their page is never idle.
    await page.waitForLoadState('networkidle', { timeout: IDLE_MS }).catch(() => undefined);
    return page;
  }

  return {
    store,
    people,
    open,
    fill: (state: State) => FILLS[state](),
    /** Unexpected incidents of all pages since the last call. */
    incidents: () => Object.values(people).flatMap(({ incidents }) => incidents.splice(0)),
    close: () => store.close(),
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
