import path from 'node:path';
import { parseArgs } from 'node:util';
import { hasMachineSettings, machineFile } from '@svc/runtime/env-proxy';
import { managedOptions } from '@svc/runtime/machine-settings';
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
  /** Whether the entry of the system's menu is written or removed. */
  menu: 'install' | 'uninstall' | undefined;
  /** Whether that entry starts this program, so that no terminal shows what it says. */
  fromMenu: boolean;
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
  install: { type: 'boolean' },
  uninstall: { type: 'boolean' },
  'from-menu': { type: 'boolean' },
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

function menuOf(install = false, uninstall = false): StartOptions['menu'] {
  if (install && uninstall) throw new UsageError('Use --install or --uninstall, not both.');
  if (install) return 'install';
  return uninstall ? 'uninstall' : undefined;
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong; the rest is general advice of Node.
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`);
  }
}

/** The environment of a command, and its platform; default: that of this process. */
type Place = Pick<CommandContext, 'env'> & Partial<Pick<CommandContext, 'platform'>>;

/** URL of the store: the option, else the environment variable, else that of the machine, else the default. */
export const storeOf = ({ env, platform = process.platform }: Place, option?: string): string =>
  option ?? (env.SVC_STORE || machineStore(machineFile(platform, env), platform) || DEFAULT_STORE);

/** The store that the operator of the machine set. @throws UsageError */
function machineStore(file: string, platform: NodeJS.Platform): string | null {
  try {
    if (!hasMachineSettings(platform, file)) return null;
    return managedOptions(file, platform).store;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * Parses the arguments of a command.
 * @throws UsageError
 */
export function readOptions(
  { env, platform = process.platform }: Place,
  words: readonly string[],
): { options: StartOptions; rest: string[] } {
  const { values, positionals } = parsed(words);
  const { store, folder, port } = values;
  const fromMenu = values['from-menu'] === true;
  const untilIdle = fromMenu || values['until-idle'] === true;
  return {
    rest: positionals,
    options: {
      store: storeOf({ env, platform }, store),
      folder: folder === undefined ? undefined : path.resolve(folder),
      port: portOf(port),
      open: values['no-open'] !== true,
      app: fromMenu || values.app === true,
      menu: menuOf(values.install, values.uninstall),
      fromMenu,
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

/** The options that say what a desktop is, apart from its store and folder. None of them is a secret. */
const ownWords = ({ port, ...options }: StartOptions): string[] => [
  ...(port === 0 ? [] : ['--port', String(port)]),
  ...(options.approvals === undefined ? [] : ['--approvals', options.approvals]),
  ...(options.localApps ? ['--local-apps'] : []),
  ...(options.localConnectors ? ['--local-connectors'] : []),
  ...(options.keyFile ? ['--key-file'] : []),
];

/** The command that starts a desktop as these options do. */
export function commandOf({ store, folder, ...options }: StartOptions): string {
  const words = [
    ...(store === DEFAULT_STORE ? [] : ['--store', store]),
    ...(folder === undefined ? [] : ['--folder', folder]),
    ...(options.app ? ['--app'] : []),
    ...ownWords({ store, folder, ...options }),
  ];
  return ['svc desktop', ...words.map(quoted)].join(' ');
}

/** What the entry of the system's menu starts: this desktop, whatever the environment is there. */
export const menuCommand = (
  { program }: Pick<CommandContext, 'program'>,
  folder: string,
  options: StartOptions,
): [string, ...string[]] => [
  ...program,
  ...['desktop', '--from-menu', '--folder', folder, '--store', options.store],
  ...ownWords(options),
];

/** The data folder of the platform (on Linux by the XDG Base Directory Specification). */
export function dataFolder({
  env,
  platform,
  home,
}: Pick<CommandContext, 'env' | 'platform' | 'home'>): string {
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
