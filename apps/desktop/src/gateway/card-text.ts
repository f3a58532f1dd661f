import type { ApprovalCard, ConnectCard, QuestionCard } from '@svc/runtime';
import { escapeJson, escapeLines, quoteText } from '@svc/text';

/** Longest text of an agent's dialog, in characters. Longer cards are shown on the page. */
const MAX_CHARACTERS = 4_000;

/** Longest quoted name. Names in manifests are shorter; names from servers are cut. */
const MAX_NAME = 200;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Writes the target after each link. Links do not nest in HTML. */
function spellLinks(html: string): string {
  let address = '';
  return html.replaceAll(/<a href="([^"<>]*)"[^<>]*>|<\/a>/g, (_tag, href: string | undefined) => {
    if (href === undefined) return ` (${address})`;
    address = href;
    return '';
  });
}

/** The body of a card as plain text, with link targets written out. The HTML has a few safe elements only. */
const plainBody = (html: string): string =>
  spellLinks(html)
    .replaceAll(/<li>/g, '- ')
    .replaceAll(/<br ?\/?>|<\/(?:p|li|h\d|blockquote|pre)>/g, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_whole, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();

/** Why the user decides on a file each time. */
const CAUTIONS = {
  hidden: 'a hidden file',
  secret: 'may contain a key or a password',
  outside: 'outside the project',
} as const;

const quoted = (text: string): string => quoteText(text, MAX_NAME);

/** Marks each line of the app, so that none looks like a line of svc. */
const ofApp = (text: string, mark: string): string =>
  escapeLines(text, 'agent', mark, { most: MAX_CHARACTERS });

/** Facts that svc verified. Values chosen by the app are quoted. */
function facts({ app, tool, server, account, files, binding }: ApprovalCard): string[] {
  return [
    'svc asks: allow this tool to run once, with exactly this?',
    `App: ${quoted(app.appId)} ${quoted(app.version)}`,
    `Publisher: ${app.publisher === null ? 'none' : quoted(app.publisher)}`,
    `Tool: ${quoted(tool.id)}`,
    `Server: ${quoted(server)}`,
    `Account: ${account === null ? 'none' : quoted(account.id)}`,
    ...files.map(
      ({ name, type, bytes, sha256, caution }) =>
        `File: ${quoted(name)}, ${quoted(type)}, ${bytes} bytes, SHA-256 ${sha256.slice(0, 16)}…${caution ? ` — ${CAUTIONS[caution]}` : ''}`,
    ),
    `Hash of the whole request: SHA-256 ${binding}`,
  ];
}

/**
 * An approval card as text: verified facts first, then the arguments with `|` before each line, and last the app's own text with `>`
 * before each line.
 * @returns null if the text is too long for a dialog
 */
export function approvalText(card: ApprovalCard): string | null {
  const { app, tool, title, html, wordsOf } = card;
  const body = wordsOf === 'client' ? [] : [title, plainBody(html)];
  const appText = [app.name, tool.name, ...body].filter((text) => text !== '').join('\n');
  const text = [
    ...facts(card),
    'Arguments:',
    ofApp(escapeJson(JSON.stringify(card.arguments, null, 2)), '| '),
    'In the words of the app:',
    ofApp(appText, '> '),
  ].join('\n');
  return text.length <= MAX_CHARACTERS ? text : null;
}

/** The text of an agent's dialog that opens a page to connect an account. */
export const connectText = ({ app, account }: ConnectCard): string =>
  `svc asks: the app ${quoted(app.appId)}, named ${quoted(app.name)}, needs the account ${quoted(account.label)}. Open the page to connect it.`;

/** The text of an agent's dialog for a question of a server: who asks first, then its words with `>` before each line. */
export function questionText({ app, tool, server, message, url }: QuestionCard): string | null {
  const text = [
    url === null
      ? 'svc passes on a question of an app. The answer goes to its server: enter no passwords or keys.'
      : `svc passes on a page that an app asks to open: ${quoteText(url, 2_000)}`,
    `App: ${quoted(app.appId)} ${quoted(app.version)}`,
    `Tool: ${quoted(tool)}`,
    `Server: ${server === '' ? 'a program on this computer' : quoted(server)}`,
    'In the words of the app:',
    ofApp([app.name, message].join('\n'), '> '),
  ].join('\n');
  return text.length <= MAX_CHARACTERS ? text : null;
}
