import type { AppDetail, Change } from '@svc/contracts';
import { type Seal, sealsOf, signedChanges, verdictOf } from '@svc/permissions';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import type { Terminal } from '../io/terminal.ts';
import { allowedLines } from '../present/changes.ts';
import { escapeText, fieldLines, headline, jsonLine, sizeOf } from '../present/text.ts';

/** Maximum number of versions listed; the others are counted. */
const MAX_VERSIONS = 10;

/** The mark of each state in a terminal: a check only for what the store vouches for. */
const MARKS: Readonly<Record<Seal['state'], string>> = {
  ...{ vouched: '✓ ', care: '! ' },
  ...{ stated: '', open: '', plain: '' },
};

/** The four facts of an app, as its page shows them. */
const sealText = (app: AppDetail): string =>
  sealsOf(app)
    .map(({ state, label }) => `${MARKS[state]}${label}`)
    .join('; ');

/** The permissions of the app, from its listing. */
const allowed = ({ grants, domains, accounts }: AppDetail): Change[] =>
  signedChanges({
    grants,
    domains,
    accounts: accounts.flatMap(({ id, scopes }) => [id, ...scopes.map((scope) => `${id}:${scope}`)]),
  });

const ratingText = ({ average, count }: AppDetail['rating']): string =>
  count === 0 ? 'none yet' : `${average.toFixed(1)} of 5 (${count})`;

function versionLines({ versions }: AppDetail): string {
  const shown = versions.slice(0, MAX_VERSIONS);
  const more = versions.length - shown.length;
  const lines = shown.map(({ version, publishedAt, sha256, deprecated }) =>
    escapeText(
      `    ${version}  ${publishedAt}  sha256 ${sha256}${deprecated === undefined ? '' : `  deprecated: ${deprecated}`}`,
    ),
  );
  return `  versions:\n${[...lines, ...(more > 0 ? [`    and ${more} more`] : [])].join('\n')}\n`;
}

function infoText(terminal: Terminal, app: AppDetail): string {
  const head = headline(
    terminal,
    verdictOf(app).state === 'vouched' ? 'good' : 'waiting',
    app.name,
    `${app.appId} ${app.version}`,
  );
  const fields = fieldLines(terminal, [
    ['publisher', `${app.publisher.name} (${app.publisher.slug})`],
    ['trust', sealText(app)],
    ['published', app.publishedAt],
    ['categories', app.categories],
    ['installs', String(app.installs)],
    ['rating', ratingText(app.rating)],
    ['size', sizeOf(app.size)],
    ['tools', app.tools.map(({ name }) => name)],
    ['homepage', app.homepage],
    ['support', app.support],
  ]);
  const sentences = app.permissions.map((sentence) => `    ${escapeText(sentence)}\n`).join('');
  const { deprecation } = app;
  const replaced = deprecation?.replacement === undefined ? '' : ` Use ${deprecation.replacement} instead.`;
  const note = deprecation ? `  deprecated: ${escapeText(deprecation.note)}${escapeText(replaced)}\n` : '';
  return [
    `${head}  ${escapeText(app.tagline)}\n`,
    note,
    fields,
    `  permissions, as the publisher describes them:\n${sentences}`,
    allowedLines(terminal, allowed(app)),
    versionLines(app),
  ].join('');
}

/** `svc info`: shows a published app. */
export const command = defineCommand<[string], StoreOption & { json?: boolean }>({
  arguments: [{ name: '<app>', help: 'id of the app' }],
  options: [STORE_OPTION, JSON_OPTION],
  examples: ['info com.example.notes'],
  async run(context, [appId], options) {
    const app = await connect(context, options).client.call('GET /api/apps/:appId', { params: { appId } });
    context.terminal.out(options.json ? jsonLine(app) : infoText(context.terminal, app));
    return 0;
  },
});
