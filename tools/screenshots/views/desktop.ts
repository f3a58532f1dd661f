import type { Card } from '@svc/runtime';
import { PAGES } from '../../../apps/desktop/page/src/routes.ts';
import { CARDS, waiting } from '../../../apps/desktop/test/page/support/sample-data.ts';
import type { View } from '../view.ts';
import { APP, CONVERSATION_VIEWS, changeAnswer } from './conversation.ts';

const on = (
  world: View['world'],
  state: View['state'],
  name: string,
  path: string,
  more: Partial<View> = {},
): View => ({
  name: `desktop-${name}`,
  routes: [],
  state,
  world,
  path: `#/${path}`,
  ready: 'h1, h2',
  ...more,
});

const REPLY = {
  model: 'example-large',
  text: 'Two of your notes are about the garden, one is about a roof.',
};

/** Questions of servers. */
const CARD_VIEWS: Readonly<Record<string, Card>> = {
  connect: CARDS.connect,
  question: CARDS.question,
  page: CARDS.page,
  sampling: CARDS.sampling,
  reply: { ...CARDS.sampling, reply: REPLY },
  local: CARDS.local,
};

/** A card over a page. The desktop sends it with the state that its page asks for. */
const cardView = ([kind, card]: [string, Card]): View =>
  on('desktop', 'usual', `card-${kind}`, 'apps', {
    act: async (page) => {
      await changeAnswer(page, 'client.show', (answer) => ({
        ...answer,
        cards: [waiting('card', { ...card, app: { ...card.app, appId: APP } } as Card)],
      }));
      await page.reload();
      await page.getByRole('dialog').waitFor();
    },
  });

/** The desktop: each page of its menu before and after installing apps, and while its requests fail. */
export const DESKTOP_VIEWS: readonly View[] = [
  ...PAGES.map((page) => on('desktop-new', 'empty', page, page)),
  ...PAGES.map((page) => on('desktop', 'usual', page, page)),
  ...CONVERSATION_VIEWS,
  on('desktop', 'usual', 'store-app', `store/${APP}`),
  on('desktop', 'usual', 'settings-models', 'settings/models', { ready: 'form' }),
  on('desktop', 'usual', 'settings-approvals', 'settings/approvals', { ready: 'form' }),
  on('desktop', 'usual', 'settings-store', 'settings/store', { ready: 'textarea' }),
  on('desktop', 'usual', 'app', `apps/${APP}`),
  on('desktop', 'usual', 'panel', `panels/${APP}/board`, {
    act: (page) => page.frameLocator('iframe').frameLocator('iframe').getByRole('button').first().waitFor(),
  }),
  on('desktop', 'usual', 'tool', `tools/${APP}/pin_pictures`, { ready: 'form' }),
  on('desktop', 'usual', 'install', 'store/com.example.tides', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Install' }).waitFor();
    },
  }),
  on('desktop', 'full', 'updates', 'updates', {
    act: async (page) => {
      await page.locator('summary', { hasText: 'Yanked versions' }).click();
      await page.getByRole('button', { name: 'Check for yanked versions' }).click();
      await page.locator('[role=status] .good').waitFor();
    },
  }),
  ...Object.entries(CARD_VIEWS).map(cardView),
  ...PAGES.map((page) =>
    // The first section of the settings needs no request.
    on('desktop', 'failing', page, page === 'settings' ? 'settings/models' : page, {
      fail: '/api/',
      ready: 'main',
    }),
  ),
];
