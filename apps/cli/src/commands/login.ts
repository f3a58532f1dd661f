import { PublisherSlug, TOKEN_SCOPES, TokenScope } from '@svc/contracts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CommandError, cancelled, StoreError, usageError } from '../failure.ts';
import { keepToken, storedToken, storesWithToken } from '../io/credentials.ts';
import { requirePrivateWay, storeUrl } from '../io/store-settings.ts';
import { escapeText } from '../present/escape.ts';
import { type Field, fieldLines, headline } from '../present/fields.ts';
import { identityFields } from '../present/identity.ts';
import { signInText } from '../present/sign-in.ts';
import { type SignInRequest, signInOf } from '../sign-in/request.ts';
import { waitForToken } from '../sign-in/wait-for-token.ts';
import { type SignInWish, StoreClient } from '../store-client.ts';

type LoginOptions = StoreOption & { publisher?: string; scope?: string[]; browser: boolean };

/** Longest name of a device, in UTF-16 code units. */
const MAX_CLIENT = 80;

/** What the page calls this device. A machine may be called anything; the store takes one line of plain text. */
const clientName = (hostname: string): string =>
  `svc on ${hostname.replace(/[^!-~]+/g, '-') || 'a machine'}`.slice(0, MAX_CLIENT);

function wishOf({ publisher, scope }: LoginOptions, hostname: string): SignInWish {
  if (publisher !== undefined && !PublisherSlug.safeParse(publisher).success) {
    throw usageError('--publisher must be the slug of a publisher, such as example.');
  }
  const scopes = scope && TokenScope.array().safeParse(scope);
  if (scopes && !scopes.success) throw usageError(`--scope must be of: ${TOKEN_SCOPES.join(', ')}.`);
  return {
    client: clientName(hostname),
    ...(scopes && { scopes: scopes.data }),
    ...(publisher !== undefined && { publisher }),
  };
}

/** Says what speaks against an expectation that the user may have, before they approve anything. */
async function announce(world: CommandContext, store: string): Promise<void> {
  const { terminal, env } = world;
  if ((await storesWithToken(world)).includes(store)) {
    terminal.err(`There is a token for ${escapeText(store)} already: the new one will take its place.\n`);
  }
  if (env.SVC_TOKEN) terminal.err('SVC_TOKEN is set: it goes before the token that is kept here.\n');
}

/** Shows the request, and opens its page when that is a page of the store and there is a person to see it. */
async function present(world: CommandContext, request: SignInRequest, browser: boolean): Promise<void> {
  const { terminal, openPage } = world;
  terminal.out(signInText(terminal, request));
  if (!request.isOwnPage) {
    terminal.err('That page is not at the address of the store: open it only if you know it.\n');
    return;
  }
  if (browser && (await openPage?.(request.pageWithCode))) {
    terminal.out('The page opens in your browser. Compare the code there with the one here.\n');
  }
}

/** Makes a token worthless if that can be done: whatever comes of it, nobody uses it from now on. */
async function giveUp({ fetch }: CommandContext, baseUrl: string, token: string): Promise<boolean> {
  return new StoreClient({ baseUrl, fetch, token }).revokeToken().then(
    () => true,
    () => false,
  );
}

/** Keeps the new token in place of an old one, which is revoked then. A token that nobody keeps is revoked too. */
async function exchange(world: CommandContext, store: string, token: string): Promise<string | null> {
  const old = await storedToken(world, store).catch(() => null);
  const place = await keepToken(world, store, token).catch(async (error: unknown) => {
    await giveUp(world, store, token);
    throw error;
  });
  if (old !== null && old !== token && !(await giveUp(world, store, old))) {
    world.terminal.err('The old token could not be revoked: do so in the pages of the store.\n');
  }
  return place;
}

/** Says whom the token belongs to. That it is kept holds even when the store does not say. */
async function reportLogin(
  { terminal, fetch }: CommandContext,
  baseUrl: string,
  token: string,
  place: string | null,
): Promise<void> {
  const kept: Field = ['kept in', place ?? 'the system keyring'];
  terminal.out(headline(terminal, 'good', 'logged in', baseUrl));
  try {
    const who = await new StoreClient({ baseUrl, fetch, token }).whoAmI();
    terminal.out(fieldLines(terminal, [...identityFields(who), kept]));
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
    terminal.out(fieldLines(terminal, [kept]));
    terminal.err(`The store does not say whose token it is: ${escapeText(error.message)}\n`);
  }
}

/**
 * `svc login`: gets a token by device sign-in, which a person approves in a browser, and keeps it for this store.
 * @throws CommandError when nobody approves, or Ctrl-C ends the waiting; no token is kept then
 */
async function login(world: CommandContext, options: LoginOptions): Promise<number> {
  const store = storeUrl(options.store, world.env);
  requirePrivateWay(world.env, store);
  const wish = wishOf(options, world.hostname);
  await announce(world, store);
  const client = new StoreClient({ baseUrl: store, fetch: world.fetch });
  const request = signInOf(await client.startSignIn(wish), store);
  const signal = world.interrupted();
  await present(world, request, options.browser);
  const token = await waitForToken(world, client, request, signal);
  if (token === null || signal.aborted) {
    if (token !== null) await giveUp(world, store, token);
    throw cancelled('Cancelled; no token was kept.');
  }
  // A locked keyring asks in a window of its own, which says little about who wants what.
  world.terminal.out('Approved. The system keyring may ask for its password now.\n');
  const place = await exchange(world, store, token);
  await reportLogin(world, store, token, place);
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[], LoginOptions>({
  options: [
    STORE_OPTION,
    { flags: '--publisher <slug>', help: 'the only publisher that the token acts for' },
    { flags: '--scope <scope...>', help: `what the token allows: ${TOKEN_SCOPES.join(', ')}` },
    { flags: '--no-browser', help: 'do not open the page' },
  ],
  examples: ['login', 'login --publisher example --scope publish:update status'],
  run: (context, _args, options) => login(context, options),
});
