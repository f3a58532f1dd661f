import type { View } from '../view.ts';

type Case = Pick<View, 'state' | 'world'> & Partial<View>;

/** The views of an administration page: empty, typical, full, and failing. */
const administration = (name: string, path: string): readonly View[] =>
  (
    [
      { state: 'empty', world: 'empty' },
      { state: 'usual', world: 'usual' },
      { state: 'full', world: 'full' },
      {
        state: 'failing',
        world: 'usual',
        fail: '/api/',
        ready: ':is([role=alert], .error-state, .fault):visible',
      },
    ] satisfies Case[]
  ).map((variant) => ({
    name,
    routes: [path === '/admin' ? 'adminPage' : 'adminSubpage'],
    viewer: 'administrator',
    path,
    ready: 'h1',
    ...variant,
  }));

/** Pages of moderators. */
const MODERATION: readonly View[] = [
  {
    name: 'queue',
    routes: ['moderationPage'],
    state: 'empty',
    world: 'empty',
    viewer: 'moderator',
    path: '/moderation',
    ready: 'h1',
  },
  {
    name: 'queue',
    routes: ['moderationPage'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation',
    ready: '.queue-row',
  },
  {
    name: 'queue',
    routes: ['moderationPage'],
    state: 'full',
    world: 'full',
    viewer: 'moderator',
    path: '/moderation',
    ready: '.queue-row',
  },
  {
    name: 'queue',
    routes: ['moderationPage'],
    state: 'failing',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation',
    fail: '/api/moderation',
    ready: '[role=alert], .error-state',
  },
  {
    name: 'decide',
    routes: ['moderationSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/apps/com.quayside.notes/versions/1.1.0',
    ready: '.decide',
  },
  {
    name: 'decide',
    routes: ['moderationSubpage'],
    state: 'full',
    world: 'full',
    viewer: 'moderator',
    path: '/moderation/apps/com.long.names/versions/1.1.0',
    ready: '.decide',
  },
  {
    name: 'decide',
    routes: ['moderationSubpage'],
    state: 'failing',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/apps/com.quayside.nothing/versions/1.0.0',
    ready: '[role=alert], .error-state',
  },
  {
    name: 'flagged-reviews',
    routes: ['moderationSubpage'],
    state: 'empty',
    world: 'empty',
    viewer: 'moderator',
    path: '/moderation/reviews',
    ready: 'h1',
  },
  {
    name: 'flagged-reviews',
    routes: ['moderationSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/reviews',
    ready: 'h1',
  },
  {
    name: 'reported-apps',
    routes: ['moderationSubpage'],
    state: 'empty',
    world: 'empty',
    viewer: 'moderator',
    path: '/moderation/reports',
    ready: 'h1',
  },
  {
    name: 'reported-apps',
    routes: ['moderationSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'administrator',
    path: '/moderation/reports',
    ready: '.rows li',
  },
  {
    name: 'decide-panel',
    routes: ['moderationSubpage', 'reviewPanel'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/apps/com.quayside.notes/versions/1.1.0',
    ready: '.decide',
    act: async (page) => {
      await page.getByRole('button', { name: 'Run Notes' }).click();
      await page.frameLocator('.review-panel').getByRole('heading', { name: 'Notes' }).waitFor();
    },
  },
  {
    name: 'instructions',
    routes: ['moderationSubpage'],
    state: 'empty',
    world: 'empty',
    viewer: 'moderator',
    path: '/moderation/instructions',
    ready: 'h1',
  },
  {
    name: 'instructions',
    routes: ['moderationSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/instructions',
    ready: '.lane',
  },
  {
    name: 'servers',
    routes: ['moderationSubpage'],
    state: 'empty',
    world: 'empty',
    viewer: 'moderator',
    path: '/moderation/servers',
    ready: 'h1',
  },
  {
    name: 'servers',
    routes: ['moderationSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/servers',
    ready: '.lane',
  },
  {
    name: 'appeals',
    routes: ['moderationSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/appeals',
    ready: 'h1',
  },
  {
    name: 'moderation-nothing',
    routes: ['moderationSubpage'],
    state: 'failing',
    world: 'usual',
    viewer: 'moderator',
    path: '/moderation/nothing',
    ready: 'main',
  },
];

/** Pages of moderators and administrators. */
export const STAFF_VIEWS: readonly View[] = [
  ...MODERATION,
  ...administration('health', '/admin'),
  ...administration('people', '/admin/people'),
  ...administration('publishers', '/admin/publishers'),
  ...administration('apps', '/admin/apps'),
  ...administration('featured', '/admin/featured'),
  ...administration('upstreams', '/admin/upstreams'),
  ...administration('managed', '/admin/managed'),
  ...administration('keys', '/admin/keys'),
  ...administration('settings', '/admin/settings'),
  ...administration('emergencies', '/admin/emergencies'),
  ...administration('policy', '/admin/policy'),
  {
    name: 'emergency-preview',
    routes: ['adminSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'administrator',
    path: '/admin/emergencies?publisher=quayside',
    ready: 'h1',
    act: async (page) => {
      await page.getByRole('button', { name: 'Stop it now' }).waitFor();
    },
  },
  ...administration('audit', '/admin/audit'),
  ...(['apps/com.quayside.notes', 'publishers/quayside'] as const).map(
    (place): View => ({
      name: `admin-${place.split('/')[0]?.slice(0, -1)}`,
      routes: ['adminSubpage'],
      state: 'usual',
      world: 'usual',
      viewer: 'administrator',
      path: `/admin/${place}`,
      ready: '.log li',
    }),
  ),
  {
    name: 'admin-person',
    routes: ['adminSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'administrator',
    path: '/admin/people',
    ready: '.data-table .named a',
    act: async (page) => {
      await page.locator('.data-table .named a').last().click();
      await page.getByRole('heading', { name: 'What they did' }).waitFor();
    },
  },
  {
    name: 'admin-act',
    routes: ['adminSubpage'],
    state: 'usual',
    world: 'usual',
    viewer: 'administrator',
    path: '/admin/apps',
    ready: '.data-table .pop-menu',
    act: async (page) => {
      await page.locator('.data-table .pop-menu button').first().click();
      await page.getByRole('button', { name: 'Suspend…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'admin-nothing',
    routes: ['adminSubpage'],
    state: 'failing',
    world: 'usual',
    viewer: 'administrator',
    path: '/admin/nothing',
    ready: 'main',
  },
  {
    name: 'brand',
    routes: ['brandPage', 'chooseBrand'],
    state: 'usual',
    world: 'usual',
    viewer: 'administrator',
    path: '/setup/brand',
    ready: 'h1',
  },
  {
    name: 'access',
    routes: ['accessPage', 'chooseAccess'],
    state: 'usual',
    world: 'usual',
    viewer: 'administrator',
    path: '/setup/access',
    ready: 'h1',
  },
];
