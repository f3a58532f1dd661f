import { PAGES } from '../../../apps/desktop/page/src/routes.ts';
import type { View } from '../view.ts';

const APP = 'com.example.pinboard';

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

/** The desktop: each page of its menu before and after installing apps, and while its requests fail. */
export const DESKTOP_VIEWS: readonly View[] = [
  ...PAGES.map((page) => on('desktop-new', 'empty', page, page)),
  ...PAGES.map((page) => on('desktop', 'usual', page, page)),
  on('desktop', 'full', 'chat', 'chat/start'),
  on('desktop', 'usual', 'store-app', `store/${APP}`),
  on('desktop', 'usual', 'settings-models', 'settings/models', { ready: 'form' }),
  on('desktop', 'usual', 'settings-store', 'settings/store', { ready: 'textarea' }),
  on('desktop', 'usual', 'app', `apps/${APP}`),
  on('desktop', 'usual', 'panel', `panels/${APP}/board`, {
    act: (page) => page.frameLocator('iframe').frameLocator('iframe').getByRole('button').first().waitFor(),
  }),
  on('desktop', 'usual', 'tool', `tools/${APP}/pin_note`, { ready: 'form' }),
  on('desktop', 'usual', 'install', 'store/com.example.tides', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  }),
  on('desktop', 'full', 'updates', 'updates', {
    act: async (page) => {
      await page.getByRole('button', { name: 'Check now' }).last().click();
      await page.locator('[role=status] .good').waitFor();
    },
  }),
  ...PAGES.map((page) =>
    // The first section of the settings needs no request.
    on('desktop', 'failing', page, page === 'settings' ? 'settings/models' : page, {
      fail: '/api/',
      ready: 'main',
    }),
  ),
];
