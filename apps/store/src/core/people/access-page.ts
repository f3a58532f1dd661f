import type { AccessRules } from '@svc/contracts';
import { html } from 'hono/html';
import { csrfField, formPage, hiddenField } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Brand } from '../../platform/brand.ts';
import { type BrandBook, DEFAULT_ACCENT } from '../domain/brand/brand.ts';
import { MAX_LOGO_BYTES, MAX_NAME, MIN_SIDE } from '../domain/brand/read-brand.ts';
import { errorLine } from './form-page.ts';

export type AccessPage = {
  csrf: string;
  /** The rules in force. */
  rules: AccessRules;
  /** The rules that settings define. */
  given: Partial<AccessRules>;
  /** Whether it is the last step of the setup. */
  isFirst: boolean;
};

type Preset = { name: string; sentence: string; rules: Omit<AccessRules, 'roles'> };

/** Rules that belong together, most open first. */
const PRESETS: readonly Preset[] = [
  {
    name: 'Public store',
    sentence: 'Everyone may sign up, publish, and install apps.',
    rules: { signUp: 'open', publishers: 'open', read: 'public' },
  },
  {
    name: 'Company store',
    sentence:
      'Users sign up with an invitation. Administrators create publishers. Only users see and install apps.',
    rules: { signUp: 'invited', publishers: 'approved', read: 'members' },
  },
  {
    name: 'Private store',
    sentence: 'Administrators add each user and create publishers. Only users see and install apps.',
    rules: { signUp: 'closed', publishers: 'approved', read: 'members' },
  },
];

type Question<Rule extends keyof AccessRules> = {
  rule: Rule;
  variable: string;
  legend: string;
  choices: Readonly<Record<AccessRules[Rule], string>>;
};

const SIGN_UP: Question<'signUp'> = {
  rule: 'signUp',
  variable: 'SVC_SIGN_UP',
  legend: 'Who can create an account?',
  choices: {
    open: 'Everyone',
    invited: 'Users with an invitation to a publisher, and users added by an administrator',
    closed: 'Only users added by an administrator',
  },
};

const PUBLISHERS: Question<'publishers'> = {
  rule: 'publishers',
  variable: 'SVC_PUBLISHERS',
  legend: 'Who can create a publisher?',
  choices: { open: 'Everyone with an account', approved: 'Only administrators' },
};

const READ: Question<'read'> = {
  rule: 'read',
  variable: 'SVC_READ',
  legend: 'Who can see and install apps?',
  choices: {
    public: 'Everyone',
    members: 'Only users with an account, and clients with one of their tokens',
  },
};

const ROLES: Question<'roles'> = {
  rule: 'roles',
  variable: 'rolesNeedPasskey',
  legend: 'How do moderators and administrators sign in?',
  choices: {
    grace: 'With a passkey, which each has 14 days to add',
    passkey: 'With a passkey from the start: without one, a role has no effect',
    any: 'In any way, also with a password alone',
  },
};

/** Why an administrator cannot choose how users with a role sign in. */
const ROLES_GIVEN = html`<p class="hint">Set by <code>rolesNeedPasskey</code> in the policy file, or because users of this store cannot have passkeys: they sign in with a provider alone, or <code>SVC_BASE_URL</code> is neither an https address with a host name nor localhost.</p>`;

function question<Rule extends keyof AccessRules>(
  { rule, variable, legend, choices }: Question<Rule>,
  { rules, given }: AccessPage,
): Html {
  const isGiven = given[rule] !== undefined;
  const options = Object.entries<string>(choices).map(
    ([choice, label]) =>
      html`<label class="choice"><input type="radio" name="${rule}" value="${choice}"${
        rules[rule] === choice ? html` checked` : ''
      }${isGiven ? html` disabled` : ''}> <span>${label}</span></label>`,
  );
  return html`<fieldset>
      <legend>${legend}</legend>
      ${options}
      ${isGiven && rule === 'roles' ? ROLES_GIVEN : ''}
      ${isGiven && rule !== 'roles' ? html`<p class="hint">Set by <code>${variable}</code>.</p>` : ''}
    </fieldset>`;
}

/** A preset, with a button where it differs from the rules; nothing where a setting defines another rule. */
function preset({ name, sentence, rules: wanted }: Preset, { csrf, rules, given }: AccessPage): Html {
  const fields = Object.entries(wanted);
  const differsFrom = (others: Partial<AccessRules>) =>
    fields.some(([rule, choice]) => (others[rule as keyof AccessRules] ?? choice) !== choice);
  if (differsFrom(given)) return html``;
  return html`<form method="post" action="/setup/access">
      <h2>${name}</h2>
      <p>${sentence}</p>
      ${csrfField(csrf)}${fields.map(([rule, choice]) => hiddenField(rule, choice))}
      ${differsFrom(rules) ? html`<button>Use for this store</button>` : html`<p class="good">These rules are in force.</p>`}
    </form>`;
}

/** The page on which an administrator chooses who may sign up, publish and read, and how users with a role sign in. */
export const accessPage = (page: AccessPage): Page =>
  formPage(
    'Access',
    html`${page.isFirst ? html`<p class="hint">Step 3 of 3: who may use the store</p>` : ''}
    <h1>Access</h1>
    ${PRESETS.map((one) => preset(one, page))}
    <form method="post" action="/setup/access">
      <h2>Or choose each rule</h2>
      ${csrfField(page.csrf)}
      ${question(SIGN_UP, page)}
      ${question(PUBLISHERS, page)}
      ${question(READ, page)}
      ${question(ROLES, page)}
      <p class="hint">You can change this later, at <code>/setup/access</code>.</p>
      <button class="main">Save</button>
    </form>`,
  );

export type BrandPage = Pick<BrandBook, 'given'> & {
  csrf: string;
  /** The brand in force, and what administrators chose or typed. */
  brand: Brand;
  chosen: { name: string | null; accent: string | null; logo: string | null };
  /** The logo of a form that was refused for another field, in base64url. */
  logo?: string | undefined;
  /** Whether it is the second step of the setup. */
  isFirst: boolean;
  script: string | undefined;
  error?: string;
};

/** A part that the operator of the store decides. */
const setBy = (label: string, variable: string): Html =>
  html`<p><strong>${label}</strong></p><p class="hint">Set by <code>${variable}</code>: only the operator of this store can change it.</p>`;

const storeNameField = ({ given, brand, chosen }: BrandPage): Html =>
  given.name
    ? setBy(`Name: ${brand.name}`, 'SVC_STORE_NAME')
    : html`<label for="name">Name</label>
      <input id="name" name="name" value="${chosen.name ?? ''}" placeholder="${brand.name}" maxlength="${MAX_NAME}" autocomplete="organization" aria-describedby="name-hint">
      <p class="hint" id="name-hint">The header, titles, mails, passkeys and link previews show it.</p>`;

/** A page cannot send a file with the other fields of a form: its script puts the file into the hidden field. */
const logoField = ({ given, chosen, logo = '' }: BrandPage): Html =>
  given.logo
    ? setBy('Logo', 'SVC_STORE_LOGO')
    : html`<div data-logo data-max="${MAX_LOGO_BYTES}" hidden>
        <label for="logo">Logo</label>
        <input id="logo" type="file" accept="image/png,image/jpeg,image/webp,image/svg+xml" aria-describedby="logo-hint">
        <input type="hidden" name="logo" value="${logo}">
        ${logo === '' ? '' : html`<p class="hint">The logo that you chose is kept until you save.</p>`}
        <p class="hint" id="logo-hint">PNG, JPEG, WebP or SVG, from ${MIN_SIDE} pixels a side, at most ${MAX_LOGO_BYTES / 1024} KiB. The store keeps a drawing of it, 320 pixels square.</p>
      </div>
      <noscript><p class="hint">To upload a logo, allow this page to run scripts, or set <code>SVC_STORE_LOGO</code>.</p></noscript>
      ${chosen.logo === null ? '' : html`<label class="choice"><input type="checkbox" name="removeLogo"> <span>Remove the logo</span></label>`}`;

const accentField = ({ given, chosen }: BrandPage): Html =>
  given.accent
    ? setBy('Accent', 'SVC_STORE_ACCENT')
    : html`<label for="accent">Accent</label>
      <input id="accent" name="accent" value="${chosen.accent ?? ''}" placeholder="${DEFAULT_ACCENT}" maxlength="7" autocomplete="off" spellcheck="false" aria-describedby="accent-hint">
      <p class="hint" id="accent-hint">The colour of buttons, links and seals, such as <code>#0b57b0</code>. Dark pages mix it with white.</p>`;

/** The page on which an administrator chooses the name, the logo and the accent of the store. Its header previews them. */
export function brandPage(page: BrandPage): Page {
  const { csrf, brand, isFirst, script, error } = page;
  const body = html`<main>
    ${isFirst ? html`<p class="hint">Step 2 of 3: name and logo</p>` : ''}
    <h1>Name and logo</h1>
    <p>The preview and the header show your changes before you save them.</p>
    <form method="post" action="/setup/brand" data-brand>
      <p class="brand"><img src="${brand.logo}" alt="" width="28" height="28"><bdi>${brand.name}</bdi></p>
      ${errorLine(error)}
      ${csrfField(csrf)}${hiddenField('first', isFirst ? '' : undefined)}
      ${storeNameField(page)}
      ${logoField(page)}
      ${accentField(page)}
      <button class="main">${isFirst ? 'Save and continue' : 'Save'}</button>
      <p class="hint">${isFirst ? html`You can change this later under Settings. <a href="/setup/access?first">Skip</a>` : html`<a href="/admin/settings">Back to the settings</a>`}</p>
    </form>
  </main>`;
  return { title: 'Name and logo', body, formTargets: [], ...(script && { script }) };
}
