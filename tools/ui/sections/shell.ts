import { type DrawIcon, LONG_NAME, LONG_WORD, part, RTL_NAME, section } from '../markup.ts';

const THEMES = ['System', 'Light', 'Dark'] as const;

/** The header of every page, with the switch of the theme in its menu (`apps/store/src/http/shell.ts`). */
export const header = (icon: DrawIcon): string => `<a class="skip" href="#content">Skip to content</a>
<header class="shell"><div>
  <a class="brand" href="#tokens" aria-label="${LONG_NAME}"><img src="/icon.svg" alt="" width="28" height="28"><bdi>${LONG_NAME}</bdi></a>
  <form class="shell-search" role="search">${icon('search')}<input name="q" type="search" aria-label="Search apps" placeholder="Search apps"></form>
  <nav aria-label="Store"><a href="#tokens" aria-current="true">Tokens</a><a href="#components">Components</a><a href="#parts">Parts</a></nav>
  <button class="avatar" type="button" popovertarget="account-menu" aria-label="Account and theme">${icon('user-round')}</button>
  <div class="menu account-menu" id="account-menu" popover data-alone>
    <div class="areas"><p class="who"><bdi>${LONG_WORD}</bdi></p><a href="#shell">Your account</a></div>
    <hr>
    <fieldset hidden><legend>Theme</legend>${THEMES.map((name) => `<button type="button" data-choose="${name.toLowerCase()}">${name}</button>`).join('')}</fieldset>
  </div>
</div></header>`;

/** The footer of every page. */
export const footer = `<footer class="foot"><div><p>Every part of packages/ui.</p> <a href="#tokens">Tokens</a> <a href="#components">Components</a></div></footer>`;

/** The page frame (`shell.css`), without header and footer. */
export const shell = (): string =>
  section(
    'shell',
    'ShellOptions pages',
    part(
      'Breadcrumbs',
      `<nav aria-label="Breadcrumb"><ol class="crumbs"><li><a href="#shell">Apps</a></li><li><a href="#shell">${LONG_NAME}</a></li><li><span aria-current="page"><bdi>${RTL_NAME} ${LONG_WORD}</bdi></span></li></ol></nav>`,
    ),
    part(
      'A notice on every page',
      `<p class="shell-notice" role="status">The store is read-only for now: ${LONG_NAME}.</p>`,
    ),
  );
