import path from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentChoices } from '../wire/views.ts';
import { type CommandContext, shellWord, UsageError } from './command.ts';

/** The default store: the one that `npm start` runs. */
const DEFAULT_STORE = 'http://localhost:8787';

/** Options of a desktop. */
export type StartOptions = {
  store: string;
  /** Undefined for the default folder. */
  folder: string | undefined;
  port: number;
  open: boolean;
  /** Whether the page opens in an app window, if a Chromium is found. */
  app: boolean;
  /** Page that the link opens, such as `/store`; undefined for the chat. */
  page: string | undefined;
  /** Where agents ask for approval in this run; undefined for the user's setting. */
  approvals: AgentChoices['approvals'] | undefined;
  /** Whether the desktop exits when it is idle. */
  untilIdle: boolean;
  /** Whether apps of the store may have servers on this computer. */
  localApps: boolean;
  /** Whether the user can add and use connectors on this computer and the local network. */
  localConnectors: boolean;
  /** Whether the vault key is stored in a file in the folder instead of the system keyring. */
  keyFile: boolean;
};

const OPTIONS = {
  store: { type: 'string' },
  folder: { type: 'string' },
  port: { type: 'string' },
  'no-open': { type: 'boolean' },
  app: { type: 'boolean' },
  page: { type: 'string' },
  approvals: { type: 'string' },
  'until-idle': { type: 'boolean' },
  'local-apps': { type: 'boolean' },
  'local-connectors': { type: 'boolean' },
  'key-file': { type: 'boolean' },
} as const;

/** A desktop started by an agent inherits its environment, which a project may control. It must not loosen the user's setting. */
function approvalsOf(text: string | undefined, untilIdle: boolean): StartOptions['approvals'] {
  if (text === undefined) return undefined;
  if (text === 'agent' || text === 'page') return untilIdle && text === 'agent' ? undefined : text;
  throw new UsageError('--approvals (or SVC_APPROVALS) must be "agent" or "page".');
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError('--port must be a number from 0 to 65535.');
  return port;
}

function pageOf(text: string | undefined): string | undefined {
  if (text === undefined || /^\/[\w./%-]{0,300}$/.test(text)) return text;
  throw new UsageError('--page must be a path such as /store: the part after # in a URL of the page.');
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong; the rest is general advice of Node.
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`);
  }
}

/** URL of the store: the option, else the environment variable, else the default. */
export const storeOf = ({ env }: Pick<CommandContext, 'env'>, option?: string): string =>
  option ?? (env.SVC_STORE || DEFAULT_STORE);

/**
 * Parses the arguments of a command.
 * @throws UsageError
 */
export function readOptions(
  { env }: Pick<CommandContext, 'env'>,
  words: readonly string[],
): { options: StartOptions; rest: string[] } {
  const { values, positionals } = parsed(words);
  const { store, folder, port } = values;
  const untilIdle = values['until-idle'] === true;
  return {
    rest: positionals,
    options: {
      store: storeOf({ env }, store),
      folder: folder === undefined ? undefined : path.resolve(folder),
      port: portOf(port),
      open: values['no-open'] !== true,
      app: values.app === true,
      page: pageOf(values.page),
      approvals: approvalsOf(values.approvals ?? (env.SVC_APPROVALS || undefined), untilIdle),
      untilIdle,
      localApps: values['local-apps'] === true,
      localConnectors: values['local-connectors'] === true,
      keyFile: values['key-file'] === true,
    },
  };
}

/** Quoted for a shell where it needs to be. */
const quoted = (word: string): string => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : shellWord(word));

/** The command that starts a desktop as these options do. None of them is a secret. */
export function commandOf({ store, folder, port, ...options }: StartOptions): string {
  const words = [
    ...(store === DEFAULT_STORE ? [] : ['--store', store]),
    ...(folder === undefined ? [] : ['--folder', folder]),
    ...(port === 0 ? [] : ['--port', String(port)]),
    ...(options.approvals === undefined ? [] : ['--approvals', options.approvals]),
    ...(options.app ? ['--app'] : []),
    ...(options.localApps ? ['--local-apps'] : []),
    ...(options.localConnectors ? ['--local-connectors'] : []),
    ...(options.keyFile ? ['--key-file'] : []),
  ];
  return ['svc desktop', ...words.map(quoted)].join(' ');
}

/** The data folder of the platform (on Linux by the XDG Base Directory Specification). */
function dataFolder({ env, platform, home }: Pick<CommandContext, 'env' | 'platform' | 'home'>): string {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.LOCALAPPDATA || path.join(home, 'AppData', 'Local');
  const { XDG_DATA_HOME: given = '' } = env;
  return path.isAbsolute(given) ? given : path.join(home, '.local', 'share');
}

/** The default data folder: of the desktop, or of `svc dev`. */
export const defaultFolder = (
  context: Pick<CommandContext, 'env' | 'platform' | 'home'>,
  kind: 'desktop' | 'dev',
): string => path.join(dataFolder(context), 'svc', kind);
