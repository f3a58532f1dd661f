import { html } from 'hono/html';
import type { Html } from './html.ts';

/** Languages of the documents in which these signs mean a comment and a string. */
const LANGUAGES = new Set(['html', 'js', 'json', 'nginx', 'sh', 'ts', 'yaml']);

/** A comment to the end of its line, which follows a space and not the colon of an address, or a string in one line. */
const PIECES = /((?:^|(?<=\s))(?:#|\/\/|\/\*\*?)\s[^\n]*)|("[^"\n]*"|'[^'\n]*'|`[^`]*`)/gm;

/** Code with its comments and strings marked; in another language as it is. The template escapes all of it. */
export function highlighted(text: string, language: string): Html | string {
  if (!LANGUAGES.has(language)) return text;
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const { 0: piece, 1: comment, index } of text.matchAll(PIECES)) {
    parts.push(text.slice(end, index), comment === undefined ? html`<b>${piece}</b>` : html`<i>${piece}</i>`);
    end = index + piece.length;
  }
  return html`${parts}${text.slice(end)}`;
}
