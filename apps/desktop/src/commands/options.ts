import path from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentChoices } from '../wire/views.ts';
import { UsageError, type World } from './command.ts';

/** Where the store is when nobody says otherwise: where `npm start` puts it. */
const DEFAULT_STORE = 'http://localhost:8787';

/** How a desktop is started. */
export type StartOptions = {
  store: string;
  /** Undefined for the usual one. */
  folder: string | undefined;
  port: number;
  open: boolean;
  /** Whether the page opens in a window of its own, where a Chromium is found. */
  app: boolean;
  /** What the link leads to, such as `/store`; undefined for the chat. */
  page: string | undefined;
  /** Where agents ask for approval in this run; undefined for where the person set it. */
  approvals: AgentChoices['approvals'] | undefined;
  /** Whether it ends by itself when nobody uses it any more. */
  untilIdle: boolean;
  /** Whether apps of the store may have their servers on this machine. */
  localApps: boolean;
  /** Whether the user may add connectors on this machine and the local network, and use those that were added. */
  localConnectors: boolean;
  /** Whether the key of the vault is kept in a file of the folder, and not in the keyring of the system. */
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

/** What an agent starts goes by its environment, which a project may have set: that makes nothing looser than the person did. */
function approvalsOf(text: string | undefined, untilIdle: boolean): StartOptions['approvals'] {
  if (text === undefined) return undefined;
  if (text === 'agent' || text === 'page') return untilIdle && text === 'agent' ? undefined : text;
  throw new UsageError('--approvals (or SVC_APPROVALS) is agent or page.');
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError('--port is a number up to 65535.');
  return port;
}

function pageOf(text: string | undefined): string | undefined {
  if (text === undefined || /^\/[\w./%-]{0,300}$/.test(text)) return text;
  throw new UsageError('--page is what follows # in an address of the page, such as /store.');
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // Its first sentence says what is wrong; the rest is advice about other programs.
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`);
  }
}

/** Address of the store: what was said, else what the environment says. */
export const storeOf = ({ env }: Pick<World, 'env'>, said?: string): string =>
  said ?? (env.SVC_STORE || DEFAULT_STORE);

/**
 * Reads what follows the name of a command.
 * @throws UsageError
 */
export function readOptions(
  { env }: Pick<World, 'env'>,
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

/** Where programs keep what is theirs on each platform (on Linux the base directory specification, with its default). */
function dataFolder({ env, platform, home }: Pick<World, 'env' | 'platform' | 'home'>): string {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.LOCALAPPDATA || path.join(home, 'AppData', 'Local');
  const { XDG_DATA_HOME: given = '' } = env;
  return path.isAbsolute(given) ? given : path.join(home, '.local', 'share');
}

/** Where a desktop keeps everything: what a person installed, and apart from it what they develop. */
export const usualFolder = (
  world: Pick<World, 'env' | 'platform' | 'home'>,
  kind: 'desktop' | 'dev',
): string => path.join(dataFolder(world), 'svc', kind);
