import { type SealFacts, sealsOf, verdictOf } from '../../../packages/permissions/src/index.ts';
import { type DrawIcon, LONG_NAME, LONG_WORD, part, RTL_NAME, section } from '../markup.ts';

type App = { name: string; by: string; host?: string; tagline: string; figures: string };

const APPS: readonly App[] = [
  {
    name: 'Hello Notes',
    by: 'Harbour Tools',
    host: 'harbour.example',
    tagline: 'Keeps what you tell it, and finds it again.',
    figures: '1,204 installs',
  },
  {
    name: LONG_NAME,
    by: LONG_NAME,
    host: `${'long.'.repeat(20)}example`,
    tagline: `${LONG_NAME}. ${LONG_NAME}.`,
    figures: 'New',
  },
  { name: RTL_NAME, by: RTL_NAME, tagline: RTL_NAME, figures: 'New' },
  { name: LONG_WORD, by: LONG_WORD, tagline: LONG_WORD, figures: '12 installs' },
];

const FACTS: SealFacts = {
  publisher: { verified: true, verifiedHost: `${'long.'.repeat(20)}example` },
  publishedAt: '2026-11-03T10:00:00.000Z',
  reviewed: true,
  ...{ grants: ['files:receive'], domains: ['*.harbour.example', `${LONG_WORD}.example`], accounts: [{}] },
};

/** Every state of a seal, with the longest evidence. */
const ROWS: readonly SealFacts[] = [
  FACTS,
  { ...FACTS, publisher: { verified: false } },
  { ...FACTS, publisher: { verified: true }, publishedAt: null },
];

const verdict = (icon: DrawIcon, host: string | undefined): string => {
  const {
    state,
    icon: mark,
    label,
  } = verdictOf({
    publisher: { verified: host !== undefined, verifiedHost: host },
  });
  return `<span class="seal verdict ${state}">${icon(mark)}<span>${label}</span></span>`;
};

const seals = (icon: DrawIcon): string =>
  ROWS.map(
    (facts) =>
      `<ul class="seals">${sealsOf(facts)
        .map(
          ({ state, icon: mark, label, evidence }) =>
            `<li><details name="seal"><summary class="seal ${state}">${icon(mark)}${label}</summary><p>${evidence}</p></details></li>`,
        )
        .join('')}</ul>`,
  ).join('');

/** Cards with both heading levels: a list of apps is a section of a page, or the whole page. */
const card = (icon: DrawIcon, { name, by, host, tagline, figures }: App, level: 'h2' | 'h3'): string =>
  `<li><article class="app-card covered"><img class="app-icon" src="/icon.svg" alt="" width="56" height="56"><div>
    <${level}><a href="#components">${name}</a></${level}>
    <p class="by"><bdi>${by}</bdi></p>
    <p class="tagline">${tagline}</p>
    <p class="figures"><span class="rating">${icon('star')} 4.5</span> <span>${figures}</span></p>
    <p>${verdict(icon, host)}</p>
  </div></article></li>`;

const BADGES = ['', 'good', 'fault', 'bad', 'mild', 'now'] as const;

const badges = BADGES.map((look) => `<span class="badge ${look}">${look || 'usual'}</span>`).join(' ');

const groups = (icon: DrawIcon): string => `<ul class="permission-groups">
  <li>${icon('search')}<strong>What it sees</strong><p>The files that you hand to it.</p></li>
  <li>${icon('globe')}<strong>Where it sends them</strong><p>api.example.com, ${LONG_WORD}.example</p></li>
  <li>${icon('wrench')}<strong>${LONG_NAME}</strong><p>${RTL_NAME}</p></li>
</ul>`;

const state = (icon: DrawIcon, look: 'empty' | 'error', title: string, action: string): string =>
  `<div class="card ${look}-state">${icon(look === 'empty' ? 'box' : 'search-x')}
    <h3>${title}</h3><p>${look === 'empty' ? 'Publish your first app.' : 'The store did not answer in time.'}</p>
    <p class="buttons"><button type="button" class="main">${action}</button></p></div>`;

/** Components of pages (`components.css`). */
export const components = (icon: DrawIcon): string =>
  section(
    'components',
    'Components',
    part(
      'Cards of apps',
      `<ul class="apps">${APPS.map((app, i) => card(icon, app, i % 2 === 0 ? 'h3' : 'h2')).join('')}</ul>`,
    ),
    part(
      'App icon',
      `<p class="buttons"><img class="app-icon" src="/icon.svg" alt="" width="56" height="56">
      <span class="app-icon ui-letter">h</span>
      <span class="halo"><svg aria-hidden="true" color="#b4531a"></svg><img class="app-icon" src="/icon.svg" alt="" width="56" height="56"></span></p>`,
    ),
    part(
      'Pictures',
      '<section class="shots" tabindex="0" aria-label="Pictures"><img src="/icon.svg" alt="Mark"></section>',
    ),
    part('Disclosure', `<details open><summary>Details</summary><p>${LONG_WORD}</p></details>`),
    part('Badges', `<p class="buttons">${badges}</p>`),
    part('SealRow', seals(icon)),
    part('Verdict', `<p>${verdict(icon, 'harbour.example')} ${verdict(icon, undefined)}</p>`),
    part(
      'Stars',
      '<p><span class="stars" role="img" aria-label="4 of 5 stars">★★★★<span>★</span></span></p>',
    ),
    part(
      'Card',
      `<article class="card"><h2>Tokens</h2><p>${LONG_WORD}</p></article><article class="card"><h3>Members</h3><p dir="rtl">${RTL_NAME}</p></article>`,
    ),
    part('Permissions', groups(icon)),
    part(
      'CodeBlock',
      `<div class="code-block"><pre><code>svc publish ${LONG_WORD}</code></pre>
      <button type="button" class="quiet small" data-copy hidden>Copy</button></div>`,
    ),
    part('EmptyState', state(icon, 'empty', 'No apps yet', 'Publish')),
    part(
      'LoadError',
      `<p role="alert" class="fault">The list could not be loaded.</p><button type="button">Retry</button>`,
    ),
    part('Boundary', state(icon, 'error', 'This page could not be shown', 'Reload the page')),
    part('Loading', '<h2>Publishers</h2><span class="skeleton line"></span>'),
    part('Loaded', state(icon, 'error', 'The list could not be loaded', 'Retry')),
    part('ErrorMessage', `<p role="alert" class="fault">The store did not answer in time. ${LONG_WORD}</p>`),
    part('Icon', `<p>${icon('search')} ${LONG_WORD}</p>`),
    part('When', '<p><time datetime="2026-11-23T12:04Z">Nov 23, 2026, 12:04 PM</time></p>'),
    part('Skeleton', '<span class="skeleton short"></span><span class="skeleton block"></span>'),
  );
