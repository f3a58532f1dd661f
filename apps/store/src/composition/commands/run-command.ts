import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Email } from '@svc/contracts';
import { createStores, createUnitOfWork } from '../../adapters/database/stores.ts';
import { databaseIn } from '../../adapters/disk/data-folder.ts';
import { readHeldKeys } from '../../adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../../adapters/disk/signing-key-file.ts';
import { makeBucket } from '../../adapters/s3/make-bucket.ts';
import type { ExtensionCommand, GivenArgs } from '../../core/domain/parts/extension-command.ts';
import { sweepOrphans } from '../../core/publishing/sweep-orphans.ts';
import { ApiError } from '../../platform/api-error.ts';
import { versionOf } from '../../platform/own-package.ts';
import { EXTENSIONS } from '../extensions.ts';
import { openBlobs, openDatabase, openKeys, type System } from '../open-data.ts';
import type { Setting } from '../settings/setting.ts';
import { SETTINGS } from '../settings/table.ts';
import { SettingError, type Settings } from '../settings.ts';
import { inOneLine } from './backup/folder-store.ts';
import { restoreCommand } from './backup/restore-backup.ts';
import { backupCommand } from './backup/take-backup.ts';
import { backupVerifyCommand } from './backup/verify-backup.ts';
import { type Command, type CommandArgs, CommandError } from './command.ts';
import { drillCommand } from './drill.ts';
import { runInStore } from './in-store.ts';
import { migrateToCommand } from './migrate/migrate-to.ts';
import { mirrorCommand } from './mirror/mirror-command.ts';
import { keysDeclareLost, keysRotate } from './rotate-keys.ts';
import { witnessCommand } from './witness.ts';

/** `svc-store mail-test` */
const mailTestCommand: Command = {
  name: 'mail-test',
  operands: ['ADDRESS'],
  options: {},
  summary:
    'send one mail to ADDRESS with the mail server of the settings, and report what the server answers',
  async run({ operands: [address] }, { smtp, baseUrl }, { newId }) {
    const to = Email.safeParse(address);
    if (!to.success) throw new SettingError('Give an email address: svc-store mail-test you@example.com.');
    if (smtp === null)
      throw new CommandError(
        'No mail server is set: the store writes mails to its log. Set SVC_SMTP_URL and SVC_MAIL_FROM.',
      );
    // Loaded on demand, as the other commands send no mail.
    const { createSmtpTransport } = await import('../../adapters/mail/smtp-transport.ts');
    const text = `The app store at ${baseUrl} can send mail.`;
    const mail = { id: newId(), to: to.data, subject: `Test mail of ${new URL(baseUrl).host}`, text };
    const isSent = await createSmtpTransport(smtp, baseUrl)
      .send(mail)
      .catch((error: Error) => {
        throw new CommandError(`${smtp.host}:${smtp.port} did not take the mail: ${error.message}`);
      });
    if (!isSent)
      throw new CommandError(
        `${smtp.host}:${smtp.port} refuses the mail for good: check that SVC_MAIL_FROM may send, and the address.`,
      );
    return `${smtp.host}:${smtp.port} took the mail to ${to.data}: look into that mailbox, and into its spam.`;
  },
};

/** Whether the mode of a file lets other users of the machine read it. */
async function isOpenToOthers(file: string | null): Promise<boolean> {
  const stats = file === null ? null : await stat(file).catch(() => null);
  return stats !== null && process.platform !== 'win32' && (stats.mode & 0o077) !== 0;
}

/** `svc-store config check` */
const configCheck: Command = {
  name: 'config check',
  operands: [],
  options: {},
  summary:
    'read all settings and the files that they name, and report the first error; nothing else is opened',
  async run(_args, { settingsFile }) {
    const warning = (await isOpenToOthers(settingsFile))
      ? ` Other users of this machine can read ${settingsFile}: run chmod 600 on it, as it may contain passwords.`
      : '';
    return `The settings are valid.${warning}`;
  },
};

/** `svc-store config print` */
const configPrint: Command = {
  name: 'config print',
  operands: [],
  options: {},
  summary: 'print the settings in force and where each comes from; of secrets only whether they are set',
  async run(_args, { settingsInForce, namesInFile }) {
    const lines = settingsInForce.map(({ name, value, given }) => {
      const origin = namesInFile.includes(name) ? 'settings file' : given ? 'given' : 'default';
      return `${name}=${value}  # ${origin}\n`;
    });
    return { print: lines.join('') };
  },
};

/**
 * Creates what the processes of a store share, unless it exists: the bucket, the tables, the signing key. Two processes that start
 * at the same time without a key could each create one, and sign with different keys.
 * @returns the key that the store will sign with
 */
async function prepare(settings: Settings, { newId, log }: System): Promise<{ keyId: string }> {
  if (settings.s3) await makeBucket(settings.s3);
  if (settings.databaseUrl === null && !existsSync(databaseIn(settings.dataDir))) {
    const { keyId } = await openSigningKey(settings.signingKeyFile, newId);
    await readHeldKeys(settings.signingKeyFile);
    return { keyId };
  }
  const db = await openDatabase(settings, log);
  try {
    const deps = { unitOfWork: createUnitOfWork(db), newId };
    return { keyId: (await openKeys(deps, settings.signingKeyFile)).signingKey.keyId };
  } finally {
    await db.destroy();
  }
}

/** `svc-store prepare` */
const prepareCommand: Command = {
  name: 'prepare',
  operands: [],
  options: {},
  summary:
    'create what several processes share, before the first of them starts: bucket, tables, signing key',
  async run(_args, settings, system) {
    const { keyId } = await inOneLine('The store was not prepared', () => prepare(settings, system));
    return `The bucket, the tables and the signing key of the store exist. It signs with ${keyId}.`;
  },
};

const MINUTE_MS = 60_000;

/** The grace period before bytes are removed; undefined for the default. */
function graceOf({ options }: CommandArgs): { graceMs?: number } {
  const minutes = options['older-than'];
  if (minutes === undefined) return {};
  if (/^\d{1,6}$/.test(String(minutes))) return { graceMs: Number(minutes) * MINUTE_MS };
  throw new SettingError('--older-than takes a number of minutes.');
}

async function sweep(settings: Settings, system: System, grace: { graceMs?: number }): Promise<number> {
  const db = await openDatabase(settings, system.log);
  try {
    const stores = createStores(db);
    const blobs = await openBlobs(settings, system.newId);
    return await sweepOrphans({ ...system, ...stores, unitOfWork: createUnitOfWork(db), blobs }, grace);
  } finally {
    await db.destroy();
  }
}

/** `svc-store sweep` */
const sweepCommand: Command = {
  name: 'sweep',
  operands: [],
  options: { 'older-than': { type: 'string' } },
  summary:
    'remove blobs that no version has referred to for a day, or for --older-than minutes, as the store does each hour',
  async run(args, settings, system) {
    const grace = graceOf(args);
    const removed = await inOneLine('Nothing was swept', () => sweep(settings, system, grace));
    return `Removed ${removed} blobs that no version refers to.`;
  },
};

/** A command of an extension, on the database of the store. */
const ofExtension = ({ run, ...command }: ExtensionCommand): Command => ({
  ...command,
  async run(args, settings, system) {
    const { clock, log, newId } = system;
    const db = await openDatabase(settings, log);
    try {
      const unitOfWork = createUnitOfWork(db);
      const parts = {
        ...createStores(db),
        unitOfWork,
        clock,
        baseUrl: settings.baseUrl,
        keys: () => openKeys({ unitOfWork, newId }, settings.signingKeyFile),
        inStore: (name: string, given: GivenArgs) => runInStore(settings, system, name, given),
      };
      return await run(args, parts);
    } catch (error) {
      throw error instanceof ApiError ? new CommandError(error.message) : error;
    } finally {
      await db.destroy();
    }
  },
});

/** All commands, in the order in which the help shows them. */
const COMMANDS: readonly Command[] = [
  prepareCommand,
  configCheck,
  configPrint,
  mailTestCommand,
  drillCommand,
  keysRotate,
  keysDeclareLost,
  // Before the command whose name it begins with.
  backupVerifyCommand,
  backupCommand,
  restoreCommand,
  sweepCommand,
  migrateToCommand,
  mirrorCommand,
  witnessCommand,
  ...EXTENSIONS.flatMap(({ commands = [] }: { commands?: readonly ExtensionCommand[] }) =>
    commands.map(ofExtension),
  ),
];

const usageOf = ({ name, operands, optional = [], options }: Command): string =>
  [
    'svc-store',
    name,
    ...operands,
    ...optional.map((operand) => `[${operand}]`),
    ...Object.keys(options).map((option) => `[--${option}]`),
  ].join(' ');

/** Removes the Markdown that a terminal does not show. */
const plain = (markdown: string): string => markdown.replaceAll('`', '');

const aboutSetting = ({ variable, doc, unset, otherwise }: Setting): string =>
  `  ${variable.padEnd(22)} ${plain(doc)} (${plain(otherwise ?? `default: ${unset}`)})`;

const HELP = [
  'svc-store: the app store as an HTTP service',
  '',
  'svc-store',
  '    run the store, with the settings of the environment',
  'svc-store --version',
  '    print the version',
  ...COMMANDS.flatMap((command) => [usageOf(command), `    ${command.summary}`]),
  '',
  'Settings, as variables of the environment or lines of the file that SVC_SETTINGS_FILE names:',
  ...Object.values<Setting>(SETTINGS).map(aboutSetting),
  '',
].join('\n');

const helpOf = (command: Command): string => `${usageOf(command)}\n    ${command.summary}\n`;

const NO_COMMAND = `Unknown command. Run svc-store without arguments to start the store, or with: ${COMMANDS.map(({ name }) => name).join(', ')}. svc-store --help describes them.`;

const matchesWords = ({ name }: Command, words: readonly string[]): boolean =>
  name.split(' ').every((word, i) => words[i] === word);

function parseCommandArgs(command: Command, words: readonly string[]): CommandArgs {
  const args = words.slice(command.name.split(' ').length);
  const usageError = new SettingError(`Usage: ${usageOf(command)}`);
  try {
    const { positionals, values } = parseArgs({ args, options: command.options, allowPositionals: true });
    const min = command.operands.length;
    const max = min + (command.optional?.length ?? 0);
    if (positionals.length < min || positionals.length > max) throw usageError;
    return { operands: positionals, options: values };
  } catch {
    throw usageError;
  }
}

/**
 * Runs the command that the words after `svc-store` name. The settings are read only once the arguments are valid.
 * @returns the text for the standard output, or a line for the operator
 * @throws SettingError for wrong usage, CommandError when the command fails
 */
export async function runCommand(
  words: readonly string[],
  readSettings: () => Settings | Promise<Settings>,
  system: System,
): Promise<{ print: string } | { line: string }> {
  if (words[0] === '--version') return { print: `${versionOf()}\n` };
  const command = COMMANDS.find((known) => matchesWords(known, words));
  const wantsHelp = words.some((word) => word === '--help' || word === '-h');
  if (wantsHelp) return { print: command ? helpOf(command) : HELP };
  if (!command) throw new SettingError(NO_COMMAND);
  const commandArgs = parseCommandArgs(command, words);
  const result = await command.run(commandArgs, await readSettings(), system);
  return typeof result === 'string' ? { line: result } : result;
}
