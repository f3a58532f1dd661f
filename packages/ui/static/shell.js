// The header of every page: fetches the signed-in user when the menu opens, and stores the theme in this browser.
// Without this script the menu still opens and links to the account.
import { copyText, NOT_COPIED } from './copy.js';

const menu = document.getElementById('account-menu');

const link = (path, label) => {
  const anchor = document.createElement('a');
  anchor.href = path;
  anchor.textContent = label;
  return anchor;
};

/** Areas, with the roles that can open them. */
const AREAS = [
  ['/account', 'Your account', /./],
  ['/account/publishers', 'Your publishers', /./],
  ['/account/tokens', 'Tokens', /./],
  ['/moderation', 'Moderation', /^(moderator|administrator)$/],
  ['/admin', 'Administration', /^administrator$/],
];

function signOut(csrf) {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: '/sign-out' });
  const field = document.createElement('input');
  Object.assign(field, { type: 'hidden', name: 'csrf', value: csrf });
  const button = document.createElement('button');
  button.textContent = 'Sign out';
  form.append(field, button);
  return form;
}

let shown;

/** Shows the user's areas; leaves them alone when they stand already, as a press on a replaced button is lost. */
function showUser({ name, role, csrf }) {
  const user = JSON.stringify([name, role, csrf]);
  if (user === shown) return;
  shown = user;
  const who = document.createElement('p');
  who.className = 'who';
  who.append(Object.assign(document.createElement('bdi'), { textContent: name }));
  const areas = AREAS.filter(([, , roles]) => roles.test(role)).map(([path, label]) => link(path, label));
  menu.querySelector('.areas').replaceChildren(who, ...areas, signOut(csrf));
}

async function loadUser() {
  const response = await fetch('/api/people/me').catch(() => undefined);
  if (response?.ok) showUser(await response.json());
}

function chooseTheme(theme) {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem('svc-theme', theme);
  } catch {
    // Without storage the choice applies to this page only.
  }
  for (const button of menu.querySelectorAll('[data-choose]'))
    button.setAttribute('aria-pressed', String(button.dataset.choose === theme));
}

if (menu) {
  const themes = menu.querySelector('fieldset');
  themes.hidden = false;
  for (const button of themes.querySelectorAll('button'))
    button.addEventListener('click', () => chooseTheme(button.dataset.choose));
  chooseTheme(document.documentElement.dataset.theme ?? 'system');
  // A page that opens untrusted bundles sends no requests.
  const isAlone = menu.hasAttribute('data-alone');
  menu.addEventListener('toggle', ({ newState }) => newState === 'open' && !isAlone && loadUser());
}

// The slash key focuses the search, unless the user is typing.
document.addEventListener('keydown', (event) => {
  const isWriting = event.target instanceof Element && event.target.matches('input, textarea, select');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
  const search = document.querySelector('input[name="q"][type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// The buttons that copy the text before them.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  const status = document.createElement('span');
  status.role = 'status';
  button.after(status);
  button.addEventListener('click', async () => {
    const isCopied = await copyText(button.previousElementSibling.textContent, button);
    button.textContent = isCopied ? 'Copied' : 'Copy';
    status.className = isCopied ? 'unseen' : 'soft';
    status.textContent = isCopied ? 'Copied' : NOT_COPIED;
  });
}

// Marks the section that is read in the contents beside it.
const contents = document.querySelector('nav.contents');
if (contents) {
  // Beside the text there is room for it; above the text it would push that away.
  contents.querySelector('details').open = matchMedia('(min-width: 64rem)').matches;
  const links = new Map([...contents.querySelectorAll('a')].map((anchor) => [anchor.hash.slice(1), anchor]));
  const seen = new IntersectionObserver(
    (entries) => {
      const target = entries.find(({ isIntersecting }) => isIntersecting)?.target;
      if (!target) return;
      contents.querySelector('[aria-current]')?.removeAttribute('aria-current');
      links.get(target.id)?.setAttribute('aria-current', 'location');
    },
    { rootMargin: '-80px 0px -70% 0px' },
  );
  for (const id of links.keys()) {
    const heading = document.getElementById(decodeURIComponent(id));
    if (heading) seen.observe(heading);
  }
}

/** Loads the font for the next page after this one has loaded, so that visible text does not change. */
async function cacheFont() {
  const [face] = await document.fonts.load('1em "Inter Variable"');
  if (face) localStorage.setItem('svc-font', 'kept');
}

if (!('font' in document.documentElement.dataset) && navigator.connection?.saveData !== true)
  addEventListener('load', () => cacheFont().catch(() => undefined));
