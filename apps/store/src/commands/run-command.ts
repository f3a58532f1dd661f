import { parseArgs } from 'node:util';
import type { System } from '../open-store.ts';
import type { Setting } from '../settings/setting.ts';
import { SETTINGS } from '../settings/table.ts';
import { SettingError, type Settings } from '../settings.ts';
import { restoreCommand } from './backup/restore-backup.ts';
import { backupCommand } from './backup/take-backup.ts';
import type { Command, Given } from './command.ts';
import { configCheck, configPrint } from './config.ts';
import { keysDeclareLost } from './declare-key-lost.ts';
import { migrateToCommand } from './migrate/migrate-to.ts';
import { prepareCommand } from './prepare.ts';
import { keysRotate } from './rotate-keys.ts';
import { sweepCommand } from './sweep.ts';
import { versionOf } from './version.ts';

/** All commands, in the order in which the help shows them. */
const COMMANDS: readonly Command[] = [
  prepareCommand,
  configCheck,
  configPrint,
  keysRotate,
  keysDeclareLost,
  backupCommand,
  restoreCommand,
  sweepCommand,
  migrateToCommand,
];

const usageOf = ({ name, operands, optional = [], options }: Command): string =>
  [
    'svc-store',
    name,
    ...operands,
    ...optional.map((operand) => `[${operand}]`),
    ...Object.keys(options).map((option) => `[--${option}]`),
  ].join(' ');

/** A sentence of the documents, as a terminal shows it. */
const plain = (markdown: string): string => markdown.replaceAll('`', '');

const aboutSetting = ({ variable, doc, unset, otherwise }: Setting): string =>
  `  ${variable.padEnd(22)} ${plain(doc)} (${plain(otherwise ?? `default: ${unset}`)})`;

const HELP = [
  'svc-store: the app store as an HTTP service',
  '',
  'svc-store',
  '    be the store, with the settings of the environment',
  'svc-store --version',
  '    say which version this is',
  ...COMMANDS.flatMap((command) => [usageOf(command), `    ${command.summary}`]),
  '',
  'Settings, as variables of the environment or lines of the file that SVC_SETTINGS_FILE names:',
  ...Object.values<Setting>(SETTINGS).map(aboutSetting),
  '',
].join('\n');

const helpOf = (command: Command): string => `${usageOf(command)}\n    ${command.summary}\n`;

const NO_COMMAND = `That is no command. Give no arguments to start the store, or: ${COMMANDS.map(({ name }) => name).join(', ')}. svc-store --help says more.`;

const isCalledBy = ({ name }: Command, words: readonly string[]): boolean =>
  name.split(' ').every((word, i) => words[i] === word);

function givenTo(command: Command, words: readonly string[]): Given {
  const args = words.slice(command.name.split(' ').length);
  const wrong = new SettingError(`Use it so: ${usageOf(command)}`);
  try {
    const { positionals, values } = parseArgs({ args, options: command.options, allowPositionals: true });
    const least = command.operands.length;
    const most = least + (command.optional?.length ?? 0);
    if (positionals.length < least || positionals.length > most) throw wrong;
    return { operands: positionals, options: values };
  } catch {
    throw wrong;
  }
}

/**
 * Does what the words after `svc-store` ask for. The settings are read only once it is known what is asked.
 * @returns what to print on the standard output, or a line for the operator
 * @throws SettingError when it is asked for wrongly, CommandError when it could not be done
 */
export async function runCommand(
  words: readonly string[],
  readSettings: () => Settings,
  ambient: System,
): Promise<{ print: string } | { line: string }> {
  if (words[0] === '--version') return { print: `${versionOf()}\n` };
  const command = COMMANDS.find((known) => isCalledBy(known, words));
  const asksForHelp = words.some((word) => word === '--help' || word === '-h');
  if (asksForHelp) return { print: command ? helpOf(command) : HELP };
  if (!command) throw new SettingError(NO_COMMAND);
  const given = givenTo(command, words);
  const done = await command.run(given, readSettings(), ambient);
  return typeof done === 'string' ? { line: done } : done;
}
