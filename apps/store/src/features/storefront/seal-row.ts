import { type Seal, type SealFacts, sealsOf } from '@svc/permissions';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import { icon } from '../../http/icon.ts';

const mark = (state: Seal['state']): Html => icon(`seal-${state}`);

/** The seals of an app in a list: one label, and icons with their words for screen readers. */
export const sealRow = (facts: SealFacts): Html =>
  html`<ul class="seals">${sealsOf(facts).map(
    ({ state, label }, n) =>
      html`<li class="seal ${state}" title="${label}">${mark(state)}<span class="${n === 0 ? '' : 'unseen'}">${label}</span></li>`,
  )}</ul>`;

/**
 * The seals of an app, which open to their evidence.
 * @param verify the command that checks the signature
 */
export const openSealRow = (facts: SealFacts, verify: string): Html =>
  html`<ul class="seals">${sealsOf(facts).map(
    ({ kind, state, label, evidence }) =>
      html`<li><details name="seal"><summary class="seal ${state}">${mark(state)}${label}</summary><p>${evidence}${kind === 'signed' ? html` <code>${verify}</code>` : ''}</p></details></li>`,
  )}</ul>`;
