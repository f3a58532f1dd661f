import type { CatalogEntry, CatalogPage } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { createColors } from 'picocolors';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import type { Terminal } from '../io/terminal.ts';
import { fitText } from '../present/cells.ts';
import { jsonLine } from '../present/text.ts';
import type { StoreClient } from '../store-client.ts';

type ListOptions = StoreOption & { mine?: boolean; category?: string; limit: string; json?: boolean };

/** Maximum and default number of listed apps. */
const MAX_APPS = 1_000;
const DEFAULT_APPS = '50';

/** Page size of the catalogue: the maximum that a store allows. */
const PAGE = 100;

/** Reads pages of the catalogue until `limit` apps match. */
async function collect(
  client: StoreClient,
  query: Record<string, string>,
  limit: number,
  matches: (app: CatalogEntry) => boolean,
): Promise<CatalogEntry[]> {
  const apps: CatalogEntry[] = [];
  for (let cursor: string | null | undefined; apps.length < limit && cursor !== null; ) {
    const page: CatalogPage = await client.call('GET /api/apps/catalog', {
      query: {
        ...query,
        limit: String(PAGE),
        ...(cursor && { cursor }),
      },
    });
    apps.push(...page.apps.filter(matches));
    cursor = page.nextCursor;
  }
  return apps.slice(0, limit);
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
    throw usageError(`--limit must be a number from 1 to ${MAX_APPS}.`);
  return number;
}

/** `svc list`: lists or searches the published apps of a store. */
export const command = defineCommand<[string | undefined], ListOptions>({
  arguments: [{ name: '[words]', help: 'search words (default: all apps)' }],
  options: [
    { flags: '--mine', help: 'only apps of your publishers' },
    { flags: '--category <category>', help: 'only apps of this category' },
    { flags: '--limit <number>', help: `maximum number of apps, up to ${MAX_APPS}`, default: DEFAULT_APPS },
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: ['list', 'list --mine', 'list "meeting notes" --category productivity'],
  async run(context, [words], options) {
    const { terminal } = context;
    const limit = limitOf(options);
    const client = options.mine
      ? await connectAsDeveloper(context, options)
      : connect(context, options).client;
    const mine = options.mine
      ? new Set((await client.call('GET /api/developer/whoami')).publishers.map(({ slug }) => slug))
      : null;
    const query = {
      ...(words !== undefined && { q: words }),
      ...(options.category !== undefined && { category: options.category }),
    };
    const apps = await collect(client, query, limit, ({ publisher }) => mine?.has(publisher.slug) ?? true);
    terminal.out(options.json ? jsonLine({ apps }) : rows(terminal, apps));
    return 0;
  },
});
