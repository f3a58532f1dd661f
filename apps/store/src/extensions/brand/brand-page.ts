import { html } from 'hono/html';
import { type BrandBook, DEFAULT_ACCENT } from '../../core/domain/brand/brand.ts';
import { MAX_LOGO_BYTES, MAX_NAME, MIN_SIDE } from '../../core/domain/brand/read-brand.ts';
import { errorLine } from '../../core/people/form-page.ts';
import { csrfField, hiddenField } from '../../http/form.ts';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Brand } from '../../platform/brand.ts';

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
