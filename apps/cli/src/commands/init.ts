import path from 'node:path';
import type { ServerSurvey } from '@svc/runtime/parts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { failed, usageError } from '../failure.ts';
import {
  type AccountKind,
  type Answers,
  FLAGS,
  LOCAL_MCP_URL,
  PLACES,
  REQUIRED,
  REQUIRED_FOR_OAUTH,
  type Template,
  type TextField,
} from '../init/answers.ts';
import { problemWith } from '../init/check-answer.ts';
import { appFiles } from '../init/files.ts';
import type { FromServer } from '../init/from-server.ts';
import { remoteFiles } from '../init/remote.ts';
import { writeNew } from '../init/write-new.ts';
import { storeUrl } from '../io/store-settings.ts';
import { escapeText, jsonLine } from '../present/escape.ts';
import { headline } from '../present/fields.ts';
import { versionOf } from '../version.ts';

/** The options of the command line; those that are answers are checked before they are. */
type InitOptions = { [field in TextField]?: string } & {
  store?: string;
  /** Address of an MCP server to make the app of. */
  from?: string;
  template?: Template;
  account?: AccountKind;
  panel?: boolean;
  /** Ask nothing. */
  yes?: boolean;
  json?: boolean;
};

const TEXT_FIELDS = Object.keys(PLACES) as TextField[];

/** A server that is only begun is on this machine, and knows nobody. */
function requireForRemote({ template, mcpUrl, account }: Partial<Answers>): void {
  if (template !== 'remote') return;
  if (mcpUrl !== undefined)
    throw usageError(`${FLAGS.mcpUrl} names a server that is there: leave out --template remote.`);
  if (account !== undefined && account !== 'none') {
    throw usageError('--template remote begins without an account: add one to both once they run.');
  }
}

/** What a server says by itself leaves nothing of this to say. */
function requireForServer({ from, template, account, mcpUrl, panel }: InitOptions): void {
  if (from === undefined) return;
  const idle = { '--template': template, '--account': account, '--mcp-url': mcpUrl, '--panel': panel };
  const [flag] = Object.entries(idle).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw usageError(`--from reads that from the server: leave out ${flag}.`);
}

/** Reads a server. Its token is in no option, which a list of processes would show. */
async function survey({ env, interrupted }: CommandContext, address: string): Promise<ServerSurvey> {
  const [{ defaultSystem, RuntimeError }, { surveyServer }] = await Promise.all([
    import('@svc/runtime'),
    import('@svc/runtime/parts'),
  ]);
  const { SVC_MCP_TOKEN: token } = env;
  const client = { name: 'svc', version: versionOf() };
  const options = { signal: interrupted(), ...(token && { token }) };
  try {
    return await surveyServer({ ambient: defaultSystem, client }, address, options);
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    if (error.code === 'address-refused')
      throw usageError('--from must be the https address of an MCP server, or http on this machine.');
    throw failed(`${address} cannot be read: ${error.message}`);
  }
}

/** The answers that the options give. Throws for one that the store would refuse, before anything is asked. */
function givenBy(options: InitOptions): Partial<Answers> {
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
  const idle = REQUIRED_FOR_OAUTH.find((field) => given[field] !== undefined);
  if (idle && account !== undefined && account !== 'oauth') {
    throw usageError(`${FLAGS[idle]} belongs to --account oauth.`);
  }
  requireForRemote(given);
  return given;
}

/** The answers when nobody can be asked. */
function complete(options: Partial<Answers>): Answers {
  const { template = 'app' } = options;
  const given = template === 'remote' ? { ...options, mcpUrl: LOCAL_MCP_URL } : options;
  const account = given.account ?? 'none';
  const needed = [...REQUIRED, ...(account === 'oauth' ? REQUIRED_FOR_OAUTH : [])];
  const missing = needed.filter((field) => given[field] === undefined);
  if (missing.length > 0) {
    throw usageError(
      `There is no terminal to ask in, so these are needed too: ${missing.map((field) => FLAGS[field]).join(', ')}.`,
    );
  }
  return { category: 'other', panel: false, ...given, template, account } as Answers;
}

/** Paths in commands to copy: quoted when a shell would read more into them. */
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
  const tie = account === 'none' ? '' : ', each with "account": "account" that needs one';
  const mode = mcpUrl.startsWith('http:') ? ' --mode dev' : '';
  return [
    'next:',
    hasTools
      ? '  read what plugin.json says: users and agents read it too'
      : `  name the tools of your MCP server in "contributes" of plugin.json${tie}`,
    `  svc validate ${shown}${mode} --watch`,
    `  svc pack ${shown}`,
    '',
  ].join('\n');
}

/** The files of an app with what was read of its server. */
const withServer = (
  files: ReadonlyMap<string, string>,
  { manifest, pages }: FromServer,
): ReadonlyMap<string, string> =>
  new Map([...files, ['plugin.json', `${JSON.stringify(manifest, null, 2)}\n`] as const, ...pages]);

/**
 * `svc init`: makes the folder of a new app, in which the checks find nothing.
 * @param dir the folder; named after the last part of the id when not given
 * @throws CommandError of wrong use for answers that the store would refuse, for files that are there already, and when the
 * user cancels; nothing is written then
 */
async function init(world: CommandContext, dir: string | undefined, options: InitOptions): Promise<number> {
  const { terminal, cwd, env, dialogue } = world;
  const store = storeUrl(options.store, env);
  requireForServer(options);
  const own = givenBy(options);
  const found = options.from === undefined ? undefined : await survey(world, options.from);
  const server = found && (await import('../init/from-server.ts'));
  const given = { ...(found && server?.answersFrom(found)), ...own };
  const answers =
    dialogue === undefined || options.yes
      ? complete(given)
      : await (await import('../init/ask.ts')).ask(dialogue, given);
  const folder = dir ?? answers.id.split('.').at(-1) ?? answers.id;
  const made = found && server?.fromServer(found, answers, store);
  const hasTools = (found?.tools ?? []).length > 0;
  const begun = answers.template === 'remote' ? remoteFiles(answers, store) : appFiles(answers, store);
  const files = made ? withServer(begun, made) : begun;
  await writeNew(path.resolve(cwd, folder), folder, files);
  if (options.json) {
    const changes = made && { changes: made.changes };
    terminal.out(jsonLine({ folder, appId: answers.id, files: [...files.keys()], ...changes }));
    return 0;
  }
  terminal.out(headline(terminal, 'good', 'created', `${answers.id} in ${folder}`));
  terminal.out([...files.keys()].map((name) => `  ${name}\n`).join(''));
  if (made && made.changes.length > 0)
    terminal.out(
      `other than the server has it:\n${made.changes.map((line) => `  ${escapeText(line)}\n`).join('')}`,
    );
  terminal.out(nextSteps(folder, answers, hasTools));
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[string | undefined], InitOptions>({
  arguments: [{ name: '[dir]', help: 'the folder (default: the last part of the id)' }],
  options: [
    {
      flags: '--template <template>',
      help: 'an app alone, or an app with an MCP server',
      choices: ['app', 'remote'],
    },
    {
      flags: '--from <url>',
      help: 'read tools, sign-in and pages of an MCP server (with the token in SVC_MCP_TOKEN, if it wants one)',
    },
    { flags: '--name <name>', help: 'name of the app' },
    { flags: '--id <id>', help: 'its id, such as com.example.notes' },
    { flags: '--publisher <slug>', help: 'who publishes it' },
    { flags: '--description <text>', help: 'what it does' },
    { flags: '--mcp-url <url>', help: 'address of its MCP server' },
    { flags: '--category <category>', help: 'category of the catalogue (default without questions: other)' },
    { flags: '--account <kind>', help: 'the account that its users need', choices: ['none', 'mcp', 'oauth'] },
    { flags: '--authorize-url <url>', help: 'for --account oauth: where users sign in' },
    { flags: '--token-url <url>', help: 'for --account oauth: where codes are exchanged for tokens' },
    { flags: '--client-id <id>', help: 'for --account oauth: the public client id' },
    { flags: '--panel', help: 'with a panel of its own' },
    { flags: '--no-panel', help: 'without a panel' },
    { flags: '-y, --yes', help: 'ask nothing' },
    JSON_OPTION,
    STORE_OPTION,
  ],
  details: 'At a terminal it asks for what the options do not say. It never overwrites a file.',
  examples: [
    'init',
    'init notes --template remote',
    'init --from https://mcp.example.com/mcp --publisher example',
  ],
  run: (context, [dir], options) => init(context, dir, options),
});
