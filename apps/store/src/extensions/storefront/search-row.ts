import type { CatalogEntry } from '@svc/contracts';
import { editDistance } from '@svc/text';
import { html } from 'hono/html';
import { maxEdits } from '../../core/domain/listings/search/spelling.ts';
import { isLight, synonymsOf } from '../../core/domain/listings/search/synonyms.ts';
import { formsOf } from '../../core/domain/listings/search/word-forms.ts';
import { fold, wordsOf } from '../../core/domain/listings/search/words.ts';
import { addressOfApp } from '../../core/web/paths.ts';
import type { Html } from '../../http/html.ts';
import { verdict } from './app-card.ts';
import { appIcon, installsOf, ratingOf } from './figures.ts';
import { CATEGORY_WORDS } from './words.ts';

/** The letters of a description around its first match, in UTF-16 code units. */
const BEFORE_MATCH = 60;
const AROUND_MATCH = 180;

/** Tells whether a word of an app is one that a search asks for. */
export type Matcher = (word: string) => boolean;

/** Creates the matcher of a query: the words as typed or unfinished, in other forms, misspelt, and words for the same. */
export function matcherOf(q: string): Matcher {
  const typed = wordsOf(q);
  const words = typed.some((word) => !isLight(word)) ? typed.filter((word) => !isLight(word)) : typed;
  const others = new Set(words.flatMap((word) => [word, ...formsOf(word), ...synonymsOf(word)]));
  const isMisspelt = (word: string) =>
    words.some((one) => maxEdits(one) > 0 && editDistance(one, word, maxEdits(one)) <= maxEdits(one));
  const folded = [...words, fold(q.replaceAll(/\s/g, ''))];
  return (word) => {
    const read = fold(word);
    return (
      others.has(read) || folded.some((one) => one.length > 1 && read.startsWith(one)) || isMisspelt(read)
    );
  };
}

const PIECES = /[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+/gu;

/** A text with its matching words marked. */
const marked = (text: string, matches: Matcher): Html =>
  html`${(text.match(PIECES) ?? []).map((piece) => (matches(piece) ? html`<mark>${piece}</mark>` : piece))}`;

const firstMatch = (text: string, matches: Matcher): number => {
  for (const { 0: piece, index } of text.matchAll(PIECES)) if (matches(piece)) return index;
  return -1;
};

/** The part of a text around its first match; null when nothing matches. */
function excerpt(text: string, matches: Matcher): Html | null {
  const at = firstMatch(text, matches);
  if (at < 0) return null;
  const from = at > BEFORE_MATCH ? text.lastIndexOf(' ', at - BEFORE_MATCH) + 1 : 0;
  const cut = text.slice(from, from + AROUND_MATCH);
  const end = from + cut.length < text.length ? `${cut.slice(0, cut.lastIndexOf(' '))} …` : cut;
  return html`${from > 0 ? '… ' : ''}${marked(end.replaceAll('\n', ' '), matches)}`;
}

/** Why an app matches, besides its name: one of its tools, its description, its category or its id. */
function reasonOf(app: CatalogEntry, matches: Matcher): Html {
  const inText = excerpt(app.description, matches);
  if (inText) return inText;
  const tool = app.tools.find(({ name, description }) => firstMatch(`${name} ${description}`, matches) >= 0);
  if (tool) return html`Tools: ${marked(`${tool.name}: ${tool.description}`, matches)}`;
  const category = app.categories.find((one) => firstMatch(CATEGORY_WORDS[one], matches) >= 0);
  if (category) return html`${marked(CATEGORY_WORDS[category], matches)}: ${app.tagline}`;
  const isNamed = firstMatch(`${app.name} ${app.publisher.name}`, matches) >= 0;
  return isNamed ? html`${app.tagline}` : html`${app.tagline} (${marked(app.appId, matches)})`;
}

/** An app in the results of a search: a row that shows why it matches. The whole row is a link. */
export const searchRow = (app: CatalogEntry, matches: Matcher): Html =>
  html`<li class="app"><article class="app-row covered">
    ${appIcon(app, 48)}
    <div>
      <h2><a href="${addressOfApp(app.appId)}">${marked(app.name, matches)}</a></h2>
      <p class="by"><bdi>${marked(app.publisher.name, matches)}</bdi></p>
      <p class="why">${reasonOf(app, matches)}</p>
      <p>${verdict(app)}</p>
    </div>
    <p class="figures">${ratingOf(app.rating)} ${installsOf(app.installs)}</p>
  </article></li>`;
