import type { ApprovalCard, ConnectCard } from '@svc/runtime';
import { escapeJson, escapeLines, quoteText } from '@svc/text';

/** The longest text that is put before a person in an agent's dialog, in characters. What is longer is read on the page. */
const MAX_CHARACTERS = 4_000;

/** Longest name within a line of ours: those of a manifest are shorter, and a server's own are cut. */
const MAX_NAME = 200;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Writes behind each link where it leads. Links do not nest in HTML. */
function spellLinks(html: string): string {
  let address = '';
  return html.replaceAll(/<a href="([^"<>]*)"[^<>]*>|<\/a>/g, (_tag, href: string | undefined) => {
    if (href === undefined) return ` (${address})`;
    address = href;
    return '';
  });
}

/** The body of a card, which is HTML of a few harmless elements, as plain text. Links say where they lead. */
const plainBody = (html: string): string =>
  spellLinks(html)
    .replaceAll(/<li>/g, '- ')
    .replaceAll(/<br ?\/?>|<\/(?:p|li|h\d|blockquote|pre)>/g, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_whole, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();

const quoted = (text: string): string => quoteText(text, MAX_NAME);

/** Lines of the app, each marked, so that none of them passes for one of ours. */
const ofApp = (text: string, mark: string): string =>
  escapeLines(text, 'agent', mark, { most: MAX_CHARACTERS });

/** What svc knows by itself. What the app chose stands in quotes, on the line that says what it is. */
function facts({ app, tool, server, account, files, binding }: ApprovalCard): string[] {
  return [
    'svc asks: may this tool run, once, with exactly this?',
    `App: ${quoted(app.appId)} ${quoted(app.version)}`,
    `Publisher: ${app.publisher === null ? 'none' : quoted(app.publisher)}`,
    `Tool: ${quoted(tool.id)}`,
    `Server: ${quoted(server)}`,
    `Account: ${account === null ? 'none' : quoted(account.id)}`,
    ...files.map(
      ({ name, type, bytes, sha256 }) =>
        `File: ${quoted(name)}, ${quoted(type)}, ${bytes} bytes, SHA-256 ${sha256.slice(0, 16)}…`,
    ),
    `Hash of all this: SHA-256 ${binding}`,
  ];
}

/**
 * All that a person approves, as text: facts of ours first, then the arguments, each line behind `|`, and last what the app says of
 * it, each line behind `>`.
 * @returns null when it is too long to be read in a dialog
 */
export function approvalText(card: ApprovalCard): string | null {
  const { app, tool, title, html } = card;
  const said = [app.name, tool.name, title, plainBody(html)].filter((text) => text !== '').join('\n');
  const text = [
    ...facts(card),
    'What is sent:',
    ofApp(escapeJson(JSON.stringify(card.arguments, null, 2)), '| '),
    'What the app says, in its own words:',
    ofApp(said, '> '),
  ].join('\n');
  return text.length <= MAX_CHARACTERS ? text : null;
}

/** Why a page is to be opened, in a dialog of an agent. */
export const connectText = ({ app, account }: ConnectCard): string =>
  `svc asks: the app ${quoted(app.appId)} needs an account; it calls itself ${quoted(app.name)}, and the account ${quoted(account.label)}. Open the page to connect it.`;
