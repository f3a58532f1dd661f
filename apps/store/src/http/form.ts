import { html } from 'hono/html';
import type { Html } from './html.ts';
import type { Page } from './page.ts';

/** The CSRF token of a form. */
export const csrfField = (csrf: string): Html => hiddenField('csrf', csrf);

/** A hidden field; nothing without a value. */
export const hiddenField = (name: string, value: string | undefined): Html =>
  value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;

/** A page whose forms can be sent only to the store. */
export const formPage = (title: string, content: Html): Page => ({
  title: `${title}`,
  body: html`<main>${content}</main>`,
  formTargets: [],
});

/** Such a page under its title. */
export const titledPage = (title: string, content: Html): Page =>
  formPage(title, html`<h1>${title}</h1>${content}`);

/** The page after a form: what has happened. */
export const donePage = (title: string, content: Html): Page =>
  formPage(title, html`<section><h1>${title}</h1>${content}</section>`);
