import path from 'node:path';
import type { ServerSurvey } from '@svc/runtime/parts';
import { type CommandContext, defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { failed, usageError } from '../failure.ts';
import {
  type AccountKind,
  type Answers,
  FLAGS,
  LOCAL_MCP_URL,
  POINTERS,
  REQUIRED,
  REQUIRED_FOR_OAUTH,
  type Template,
  type TextField,
} from '../init/answers.ts';
import { problemWith } from '../init/ask.ts';
import { appFiles } from '../init/files.ts';
import type { FromServer } from '../init/from-server.ts';
import { remoteFiles } from '../init/remote.ts';
import { writeNew } from '../init/write-new.ts';
import { storeUrl } from '../io/store-settings.ts';
import { connectingOf } from '../live-tools.ts';
import { escapeText, headline, jsonLine } from '../present/text.ts';
import { versionOf } from '../version.ts';

/** The options of the command line, not yet validated. */
type InitOptions = { [field in TextField]?: string } & {
  store?: string;
  /** URL of an MCP server to create the app from. */
  from?: string;
  template?: Template;
  account?: AccountKind;
  panel?: boolean;
  /** Do not prompt. */
  yes?: boolean;
  json?: boolean;
};

const TEXT_FIELDS = Object.keys(POINTERS) as TextField[];

/** `--template remote` creates a new server on this machine, without accounts. */
function assertCompatibleWithRemote({ template, mcpUrl, account }: Partial<Answers>): void {
  if (template !== 'remote') return;
  if (mcpUrl !== undefined)
    throw usageError(
      `${FLAGS.mcpUrl} names an existing server and cannot be used with --template remote, which creates one.`,
    );
  if (account !== undefined && account !== 'none') {
    throw usageError(
      '--template remote creates an app without an account. Add the account to the app and the server later.',
    );
  }
}

/** `--from` reads these settings from the server. */
function assertCompatibleWithFrom({ from, template, account, mcpUrl, panel }: InitOptions): void {
  if (from === undefined) return;
  const readFromServer = {
    '--template': template,
    '--account': account,
    '--mcp-url': mcpUrl,
    '--panel': panel,
  };
  const [flag] = Object.entries(readFromServer).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined)
    throw usageError(`${flag} cannot be used with --from, which reads it from the server.`);
}

/** Reads the tools, pages and sign-in of a server. The token comes from the environment: a list of processes shows options. */
async function readServer({ env, interrupted }: CommandContext, address: string): Promise<ServerSurvey> {
  const [{ defaultSystem, RuntimeError }, { surveyServer }] = await Promise.all([
    import('@svc/runtime'),
    import('@svc/runtime/parts'),
  ]);
  const { SVC_MCP_TOKEN: token } = env;
  const client = { name: 'svc', version: versionOf() };
  const options = { signal: interrupted(), ...(token && { token }) };
  try {
    return await surveyServer(
      { system: defaultSystem, client, connecting: connectingOf(env) },
      address,
      options,
    );
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    if (error.code === 'address-refused')
      throw usageError('--from must be the https URL of an MCP server, or an http URL on this machine.');
    throw failed(`Cannot read ${address}: ${error.message}`);
  }
}

/** The answers in the options. Throws for an answer that the store would refuse, before any prompt. */
function answersInOptions(options: InitOptions): Partial<Answers> {
  const { template, account, panel } = options;
  const given: Partial<Answers> = {
    ...(template && { template }),
    ...(account && { account }),
    ...(panel !== undefined && { panel }),
  };
  for (const field of TEXT_FIELDS) {
    const value = options[field];
    if (value === undefined) continue;
    const problem = problemWith(field, value);
    if (problem !== undefined) throw usageError(`${FLAGS[field]}: ${problem}`);
    given[field] = value;
  }
  const unused = REQUIRED_FOR_OAUTH.find((field) => given[field] !== undefined);
  if (unused && account !== undefined && account !== 'oauth') {
    throw usageError(`${FLAGS[unused]} requires --account oauth.`);
  }
  assertCompatibleWithRemote(given);
  return given;
}

/** The answers without prompts: the given ones, and defaults. */
function withDefaults(options: Partial<Answers>): Answers {
  const { template = 'app' } = options;
  const given = template === 'remote' ? { ...options, mcpUrl: LOCAL_MCP_URL } : options;
  const account = given.account ?? 'none';
  const required = [...REQUIRED, ...(account === 'oauth' ? REQUIRED_FOR_OAUTH : [])];
  const missing = required.filter((field) => given[field] === undefined);
  if (missing.length > 0) {
    throw usageError(
      `Missing options, as there is no prompt: ${missing.map((field) => FLAGS[field]).join(', ')}.`,
    );
  }
  return { category: 'other', panel: false, ...given, template, account } as Answers;
}

/** A path in a command to copy: quoted when it has characters that a shell interprets. */
const quoted = (shown: string): string =>
  /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;

function nextSteps(dir: string, { account, template, mcpUrl }: Answers, hasTools: boolean): string {
  const shown = escapeText(quoted(dir));
  if (template === 'remote') {
    const [app, server] = ['app', 'server'].map((part) => escapeText(quoted(`${dir}/${part}`)));
    return [
      'next:',
      `  (cd ${server} && npm install && npm start)`,
      `  svc dev ${app}`,
      `  svc validate ${app} --mode dev --watch`,
      '',
    ].join('\n');
  }
  const accountHint = account === 'none' ? '' : ', with "account": "account" for those that need it';
  const mode = mcpUrl.startsWith('http:') ? ' --mode dev' : '';
  return [
    'next:',
    hasTools
      ? '  review plugin.json: users and agents read its texts'
      : `  list the tools of your MCP server in "contributes" of plugin.json${accountHint}`,
    `  svc validate ${shown}${mode} --watch`,
    `  svc pack ${shown}`,
    '',
  ].join('\n');
}

/** The files of an app, with the manifest and the pages from its server. */
const withServer = (
  files: ReadonlyMap<string, string>,
  { manifest, pages }: FromServer,
): ReadonlyMap<string, string> =>
  new Map([...files, ['plugin.json', `${JSON.stringify(manifest, null, 2)}\n`] as const, ...pages]);

/**
 * `svc init`: creates the folder of a new app that passes all checks.
 * @param dir the folder; default: the last part of the id
 * @throws CommandError for answers that the store would refuse, for files that exist already, and when the user cancels;
 * nothing is written then
 */
export const command = defineCommand<[string | undefined], InitOptions>({
  arguments: [{ name: '[dir]', help: 'the folder (default: the last part of the id)' }],
  options: [
    {
      flags: '--template <template>',
      help: 'an app for an existing MCP server, or an app with a new one',
      choices: ['app', 'remote'],
    },
    {
      flags: '--from <url>',
      help: 'import tools, sign-in and pages from an MCP server (token: SVC_MCP_TOKEN)',
    },
    { flags: '--name <name>', help: 'name of the app' },
    { flags: '--id <id>', help: 'id of the app, such as com.example.notes' },
    { flags: '--publisher <name>', help: 'short name of the publisher' },
    { flags: '--description <text>', help: 'description of the app' },
    { flags: '--mcp-url <url>', help: 'URL of its MCP server' },
    { flags: '--category <category>', help: 'category in the catalogue (default without prompts: other)' },
    {
      flags: '--account <kind>',
      help: 'how users sign in: not at all, through the MCP server, or OAuth',
      choices: ['none', 'mcp', 'oauth'],
    },
    { flags: '--authorize-url <url>', help: 'for --account oauth: authorization endpoint' },
    { flags: '--token-url <url>', help: 'for --account oauth: token endpoint' },
    { flags: '--client-id <id>', help: 'for --account oauth: the public client id' },
    { flags: '--panel', help: 'with a panel' },
    { flags: '--no-panel', help: 'without a panel' },
    { flags: '-y, --yes', help: 'do not prompt' },
    JSON_OPTION,
    STORE_OPTION,
  ],
  details: 'At a terminal, prompts for missing options. Never overwrites a file.',
  examples: [
    'init',
    'init notes --template remote',
    'init --from https://mcp.example.com/mcp --publisher example',
  ],
  async run(context, [dir], options) {
    const { terminal, cwd, env, dialogue } = context;
    const store = storeUrl(options.store, env);
    assertCompatibleWithFrom(options);
    const inOptions = answersInOptions(options);
    const survey = options.from === undefined ? undefined : await readServer(context, options.from);
    const converter = survey && (await import('../init/from-server.ts'));
    const given = { ...(survey && converter?.answersFrom(survey)), ...inOptions };
    const answers =
      dialogue === undefined || options.yes
        ? withDefaults(given)
        : await (await import('../init/ask.ts')).ask(dialogue, given);
    const folder = dir ?? answers.id.split('.').at(-1) ?? answers.id;
    const converted = survey && converter?.fromServer(survey, answers, store);
    const hasTools = (survey?.tools ?? []).length > 0;
    const template = answers.template === 'remote' ? remoteFiles(answers, store) : appFiles(answers, store);
    const files = converted ? withServer(template, converted) : template;
    await writeNew(path.resolve(cwd, folder), folder, files);
    if (options.json) {
      const changes = converted && { changes: converted.changes };
      terminal.out(jsonLine({ folder, appId: answers.id, files: [...files.keys()], ...changes }));
      return 0;
    }
    terminal.out(headline(terminal, 'good', 'created', `${answers.id} in ${folder}`));
    terminal.out([...files.keys()].map((name) => `  ${name}\n`).join(''));
    if (converted && converted.changes.length > 0)
      terminal.out(
        `changed from the server:\n${converted.changes.map((line) => `  ${escapeText(line)}\n`).join('')}`,
      );
    terminal.out(nextSteps(folder, answers, hasTools));
    return 0;
  },
});
