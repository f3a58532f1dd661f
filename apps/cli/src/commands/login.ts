import { PublisherSlug, TOKEN_SCOPES, TokenScope } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { createColors } from 'picocolors';
import { encode } from 'uqr';
import { type CommandContext, defineCommand, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CommandError, cancelled, StoreError, usageError } from '../failure.ts';
import { saveToken, storedToken, storesWithToken } from '../io/credentials.ts';
import { requireSecureTransport, storeUrl } from '../io/store-settings.ts';
import type { Terminal } from '../io/terminal.ts';
import { identityFields } from '../present/identity.ts';
import { escapeText, type Field, fieldLines, headline } from '../present/text.ts';
import { type SignInRequest, signInOf } from '../sign-in/request.ts';
import { waitForToken } from '../sign-in/wait-for-token.ts';
import { type SignInOptions, StoreClient } from '../store-client.ts';

/** Light modules around the code (ISO/IEC 18004, quiet zone). */
const QUIET = 4;

/** Black and white from the part of the 256 colours that themes do not change. */
const BLACK = 16;
const WHITE = 231;

/** Draws the upper half of a cell in the foreground colour, the lower half in the background colour. */
const UPPER_HALF = '▀';

const shade = (isDark: boolean | undefined): number => (isDark ? BLACK : WHITE);

/**
 * A QR code, two rows per line. Empty where it cannot be displayed: without a terminal, colours or Unicode, or when the terminal is
 * too narrow.
 */
export function qrCode({ isScreen, colour, unicode, columns }: Terminal, text: string): string {
  if (!isScreen || !colour || !unicode) return '';
  const { data } = encode(text, { ecc: 'L', border: QUIET });
  if (data.length > columns) return '';
  const lines: string[] = [];
  for (let row = 0; row < data.length; row += 2) {
    const upper = data[row] ?? [];
    const lower = data[row + 1] ?? [];
    const cells = upper.map(
      (isDark, column) => `\u001b[38;5;${shade(isDark)};48;5;${shade(lower[column])}m${UPPER_HALF}`,
    );
    lines.push(`${cells.join('')}\u001b[0m\n`);
  }
  return lines.join('');
}

const MINUTE = 60_000;

/** The user code in a box, with spaced letters. */
function codeBox({ unicode, colour }: Terminal, code: string): string {
  const { bold } = createColors(colour);
  const [topLeft, topRight, bottomLeft, bottomRight, flat, upright] = unicode ? '╭╮╰╯─│' : '++++-|';
  const letters = `   ${[...code].join(' ')}   `;
  const line = flat?.repeat(letters.length);
  const empty = `${upright}${' '.repeat(letters.length)}${upright}`;
  return [
    `${topLeft}${line}${topRight}`,
    empty,
    `${upright}${bold(letters)}${upright}`,
    empty,
    `${bottomLeft}${line}${bottomRight}`,
  ]
    .map((row) => `    ${row}\n`)
    .join('');
}

/**
 * The instructions to approve a sign-in: the page, the code, and a QR code. A page that is not on the host of the store is shown
 * without direct link and QR code, so that the user reads its address first.
 */
export function signInText(terminal: Terminal, request: SignInRequest): string {
  const { bold } = createColors(terminal.colour);
  const page = bold(escapeText(request.page));
  const box = codeBox(terminal, request.userCode);
  const question = `Open this page in a browser, on any device:\n\n    ${page}\n\nand enter this code:\n\n${box}\n`;
  // A terminal shows the remaining time instead.
  const minutes = count(Math.ceil(request.expiresInMs / MINUTE), 'minute');
  const limit = terminal.isScreen ? '' : `The code expires in ${minutes}.\n`;
  if (!request.isOwnPage) return `${question}${limit}`;
  const scan = qrCode(terminal, request.pageWithCode);
  const direct = `Or open this link, which contains the code:\n\n    ${escapeText(request.pageWithCode)}\n\n`;
  return `${question}${direct}${scan && `Or scan this QR code:\n\n${scan}\n`}${limit}`;
}

type LoginOptions = StoreOption & { publisher?: string; scope?: string[]; browser: boolean };

/** Maximum length of a device name, in UTF-16 code units. */
const MAX_CLIENT = 80;

/** The name of this device on the approval page. The store accepts one line of plain text; a host name may hold anything. */
const clientName = (hostname: string): string =>
  `svc on ${hostname.replace(/[^!-~]+/g, '-') || 'a machine'}`.slice(0, MAX_CLIENT);

function signInOptions({ publisher, scope }: LoginOptions, hostname: string): SignInOptions {
  if (publisher !== undefined && !PublisherSlug.safeParse(publisher).success) {
    throw usageError('--publisher must be the short name of a publisher, such as example.');
  }
  const scopes = scope && TokenScope.array().safeParse(scope);
  if (scopes && !scopes.success)
    throw usageError(`--scope must be one or more of: ${TOKEN_SCOPES.join(', ')}.`);
  return {
    client: clientName(hostname),
    ...(scopes && { scopes: scopes.data }),
    ...(publisher !== undefined && { publisher }),
  };
}

/** Warns, before the user approves, about a token that is replaced or that takes precedence. */
async function warnAboutTokens(context: CommandContext, store: string): Promise<void> {
  const { terminal, env } = context;
  if ((await storesWithToken(context)).includes(store)) {
    terminal.err(
      `You are already logged in to ${escapeText(store)}. The new token will replace the old one.\n`,
    );
  }
  if (env.SVC_TOKEN) terminal.err('SVC_TOKEN is set and takes precedence over the token that login saves.\n');
}

/** Shows the request, and opens its page in a browser when it belongs to the store. */
async function present(context: CommandContext, request: SignInRequest, browser: boolean): Promise<void> {
  const { terminal, openPage } = context;
  terminal.out(signInText(terminal, request));
  if (!request.isOwnPage) {
    terminal.err('That page is not on the host of the store. Open it only if you trust it.\n');
    return;
  }
  if (browser && (await openPage?.(request.pageWithCode))) {
    terminal.out('Opening the page in your browser. Compare the code there with the code above.\n');
  }
}

/** Revokes a token that is no longer used; returns whether that worked. */
async function tryRevoke({ fetch }: CommandContext, baseUrl: string, token: string): Promise<boolean> {
  return new StoreClient({ baseUrl, fetch, token }).revokeToken().then(
    () => true,
    () => false,
  );
}

/** Saves the new token and revokes the one that it replaces. A token that cannot be saved is revoked. */
async function replaceToken(context: CommandContext, store: string, token: string): Promise<string | null> {
  const old = await storedToken(context, store).catch(() => null);
  const place = await saveToken(context, store, token).catch(async (error: unknown) => {
    await tryRevoke(context, store, token);
    throw error;
  });
  if (old !== null && old !== token && !(await tryRevoke(context, store, old))) {
    context.terminal.err(
      'The old token could not be revoked. Revoke it on your account page in the store.\n',
    );
  }
  return place;
}

/** Shows who is logged in. Login has succeeded even when the store does not answer this. */
async function reportLogin(
  { terminal, fetch }: CommandContext,
  baseUrl: string,
  token: string,
  place: string | null,
): Promise<void> {
  const storage: Field = ['saved in', place ?? 'the system keyring'];
  terminal.out(headline(terminal, 'good', 'logged in', baseUrl));
  try {
    const who = await new StoreClient({ baseUrl, fetch, token }).call('GET /api/developer/whoami');
    terminal.out(fieldLines(terminal, [...identityFields(who), storage]));
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
    terminal.out(fieldLines(terminal, [storage]));
    terminal.err(`Could not read your account from the store: ${escapeText(error.message)}\n`);
  }
}

/**
 * `svc login`: gets a token by device sign-in (RFC 8628), approved in a browser, and saves it for this store.
 * @throws CommandError when the sign-in is not approved, or Ctrl-C cancels it; no token is saved then
 */
export const command = defineCommand<[], LoginOptions>({
  options: [
    STORE_OPTION,
    { flags: '--publisher <name>', help: 'limit the token to one publisher' },
    { flags: '--scope <scope...>', help: `limit the token to these scopes: ${TOKEN_SCOPES.join(', ')}` },
    { flags: '--no-browser', help: 'do not open a browser' },
  ],
  examples: ['login', 'login --publisher example --scope publish:update status'],
  async run(context, _args, options) {
    const store = storeUrl(options.store, context.env);
    requireSecureTransport(context.env, store);
    const signIn = signInOptions(options, context.hostname);
    await warnAboutTokens(context, store);
    const client = new StoreClient({ baseUrl: store, fetch: context.fetch });
    const request = signInOf(await client.call('POST /api/developer/device/start', { json: signIn }), store);
    const signal = context.interrupted();
    await present(context, request, options.browser);
    const token = await waitForToken(context, client, request, signal);
    if (token === null || signal.aborted) {
      if (token !== null) await tryRevoke(context, store, token);
      throw cancelled('Cancelled; no token was saved.');
    }
    // A locked keyring prompts in its own window, which does not say which program needs it.
    context.terminal.out('Approved. The system keyring may ask for its password now.\n');
    const place = await replaceToken(context, store, token);
    await reportLogin(context, store, token, place);
    return 0;
  },
});
