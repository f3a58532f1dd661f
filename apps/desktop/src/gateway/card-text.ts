import type { ApprovalCard } from '@svc/runtime';

/** The longest text that is put before a person in an agent's dialog, in characters. What is longer is read on the page. */
const MOST_CHARACTERS = 4_000;

/** What cannot be seen, or turns the direction of what follows; JSON leaves these as they are. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u0080-\u009f]/gu;

const escaped = (text: string): string =>
  text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The body of a card, which is HTML of a few harmless elements, as plain text. Links say where they lead. */
const plainBody = (html: string): string =>
  html
    .replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g, '$2 ($1)')
    .replaceAll(/<li>/g, '- ')
    .replaceAll(/<br ?\/?>|<\/(?:p|li|h\d|blockquote|pre)>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_whole, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();

/**
 * All that a person approves, as text: the arguments as JSON, in which no line of theirs can pass for one of ours.
 * @returns null when it is too long to be read in a dialog
 */
export function approvalText(card: ApprovalCard): string | null {
  const { app, tool, title, html, files } = card;
  const lines = [
    title,
    plainBody(html),
    `App: ${app.name} ${app.version} (${app.appId})`,
    `Tool: ${tool.name} (${tool.id})`,
    `Arguments: ${JSON.stringify(card.arguments, null, 2)}`,
    ...files.map(
      ({ name, type, bytes, sha256 }) =>
        `File: ${JSON.stringify(name)}, ${type}, ${bytes} bytes, SHA-256 ${sha256.slice(0, 16)}…`,
    ),
  ];
  const text = lines
    .filter((line) => line !== '')
    .map(escaped)
    .join('\n');
  return text.length <= MOST_CHARACTERS ? text : null;
}
