/** The amount of data of a page, or that its requests fail. */
export const STATES = ['empty', 'usual', 'full', 'failing'] as const;
export type State = (typeof STATES)[number];

/** The publisher of the pages in a state. */
export const PUBLISHERS: Readonly<Record<State, string>> = {
  empty: 'fresh',
  usual: 'acme',
  full: `${'long-'.repeat(7)}names`,
  failing: 'acme',
};

/** The app of the pages in a state; in the empty one it has only its first version. */
export const APPS: Readonly<Record<State, string>> = {
  empty: 'com.example.first',
  usual: 'com.acme.notes',
  full: `com.full.${'long-'.repeat(10)}app`,
  failing: 'com.acme.notes',
};

/** The user of the browser that opens a page. */
type As = 'anna' | 'ben' | 'stranger';

/** A page of the store in a state: its path, and a selector that is present once it is rendered. */
export type Shown = { area: string; name: string; path: string; ready: string; as: As };

const built = (area: string, name: string, path: string, ready = 'main h1', as: As = 'anna'): Shown => ({
  area,
  name,
  path,
  ready,
  as,
});

/** The pages of accounts and publishers. */
const accountPages = (state: State): Shown[] => {
  const [home, app] = [`/account/publishers/${PUBLISHERS[state]}`, APPS[state]];
  return [
    built('account', 'you', '/account'),
    built('account', 'tokens', '/account/tokens'),
    built('account', 'publishers', '/account/publishers', 'main h1', state === 'empty' ? 'ben' : 'anna'),
    built('account', 'publisher', home),
    ...['members', 'tokens', 'website', 'settings'].map((tab) =>
      built('account', `publisher-${tab}`, `${home}/${tab}`),
    ),
    ...(state === 'empty' ? [] : [built('account', 'app', `${home}/apps/${app}`, 'ol.steps')]),
    ...(state === 'empty' ? [] : [built('account', 'review', `/account/apps/${app}/review`)]),
  ];
};

/** The pages of moderators. */
const moderationPages = (state: State): Shown[] => [
  built('moderation', 'inbox', '/moderation'),
  built('moderation', 'queue', '/moderation/versions'),
  built('moderation', 'reviews', '/moderation/reviews'),
  ...(state === 'empty'
    ? []
    : [
        built(
          'moderation',
          'version',
          `/moderation/apps/${APPS[state]}/versions/1.1.0`,
          'main h1 >> visible=true',
        ),
      ]),
];

const ADMIN = [
  ...['', '/people', '/publishers', '/apps', '/featured', '/upstreams', '/managed', '/keys', '/settings'],
  ...['/webhooks', '/emergencies', '/policy', '/audit'],
];

/** Server-rendered public pages, and the pages of administrators. */
const otherPages = (state: State): Shown[] => [
  built('public', 'catalogue', '/', 'h1', 'stranger'),
  built('public', 'search', '/?q=no-such-thing', 'h1', 'stranger'),
  ...(state === 'empty' ? [] : [built('public', 'app', `/apps/${APPS[state]}`, 'h1', 'stranger')]),
  ...(state === 'full'
    ? [
        built('public', 'alphabet', '/apps/com.alphabet.number-0', 'h1', 'stranger'),
        built('public', 'no-host', '/publishers/no-host', 'h1', 'stranger'),
        built('public', 'publisher', `/publishers/${PUBLISHERS.full}`, 'h1', 'stranger'),
        built(
          'public',
          'results',
          '/?q=Donaudampfschifffahrtselektrizitätenhauptbetriebswerk',
          'h1',
          'stranger',
        ),
        built('public', 'category', '/categories/productivity', 'h1', 'stranger'),
      ]
    : []),
  built('public', 'policy', '/policy', 'h1', 'stranger'),
  built('public', 'check', '/check', '.file-drop', 'stranger'),
  built('public', 'sign-in', '/sign-in', 'h1', 'stranger'),
  built('public', 'sign-up', '/sign-up', 'h1', 'stranger'),
  built('public', 'device', '/device', 'h1'),
  built('public', 'docs', '/docs', 'h1', 'stranger'),
  built('public', 'no-such-page', '/no-such-page', 'h1', 'stranger'),
  ...ADMIN.map((path) => built('admin', path.slice(1) || 'health', `/admin${path}`)),
];

/** All pages of a state. When requests fail, only pages that send requests look different. */
export const pagesOf = (state: State): Shown[] => [
  ...accountPages(state),
  ...moderationPages(state),
  ...otherPages(state).filter(({ area }) => state !== 'failing' || area === 'admin'),
];
