import type { CatalogEntry, CatalogPage } from '@svc/contracts';
import { createColors } from 'picocolors';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import type { Terminal } from '../io/terminal.ts';
import { fitText } from '../present/cells.ts';
import { jsonLine } from '../present/escape.ts';
import { count } from '../present/fields.ts';
import type { StoreClient } from '../store-client.ts';

type ListOptions = StoreOption & { mine?: boolean; category?: string; limit: string; json?: boolean };

/** Most apps that are listed, and the default. */
const MAX_APPS = 1_000;
const DEFAULT_APPS = '50';

/** Apps of a page of the catalogue, the most that a store gives at once. */
const PAGE = 100;

/** The apps that fit, page by page, until there are enough. */
async function gather(
  client: StoreClient,
  query: Record<string, string>,
  limit: number,
  fits: (app: CatalogEntry) => boolean,
): Promise<CatalogEntry[]> {
  const found: CatalogEntry[] = [];
  for (let cursor: string | null | undefined; found.length < limit && cursor !== null; ) {
    const page: CatalogPage = await client.catalog({
      ...query,
      limit: String(PAGE),
      ...(cursor && { cursor }),
    });
    found.push(...page.apps.filter(fits));
    cursor = page.nextCursor;
  }
  return found.slice(0, limit);
}

function rows(terminal: Terminal, apps: readonly CatalogEntry[]): string {
  const { bold, dim } = createColors(terminal.colour);
  const lines = apps.map(({ appId, version, name, publisher }) => {
    const head = `${bold(fitText(appId, terminal.columns))}  ${fitText(version, terminal.columns)}`;
    return `${head}  ${dim(fitText(`${name}, ${publisher.slug}`, terminal.columns))}\n`;
  });
  return `${lines.join('')}${count(apps.length, 'app')}\n`;
}

function limitOf({ limit }: ListOptions): number {
  const number = Number(limit);
  if (!/^\d+$/.test(limit) || number < 1 || number > MAX_APPS)
    throw usageError(`--limit is a number from 1 to ${MAX_APPS}.`);
  return number;
}

/** `svc list`: lists the published apps of a store, or those of your publishers. */
async function list(
  context: CommandContext,
  words: string | undefined,
  options: ListOptions,
): Promise<number> {
  const { terminal } = context;
  const limit = limitOf(options);
  const client = options.mine ? await connectAsDeveloper(context, options) : connect(context, options).client;
  const mine = options.mine ? new Set((await client.whoAmI()).publishers.map(({ slug }) => slug)) : null;
  const query = {
    ...(words !== undefined && { q: words }),
    ...(options.category !== undefined && { category: options.category }),
  };
  const apps = await gather(client, query, limit, ({ publisher }) => mine?.has(publisher.slug) ?? true);
  terminal.out(options.json ? jsonLine({ apps }) : rows(terminal, apps));
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[string | undefined], ListOptions>({
  arguments: [{ name: '[words]', help: 'what to search for (default: all apps)' }],
  options: [
    { flags: '--mine', help: 'only apps of the publishers you act for' },
    { flags: '--category <category>', help: 'only apps of this category' },
    { flags: '--limit <number>', help: `most apps to list, up to ${MAX_APPS}`, default: DEFAULT_APPS },
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: ['list', 'list --mine', 'list "meeting notes" --category productivity'],
  run: (context, [words], options) => list(context, words, options),
});
