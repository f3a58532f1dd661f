import type { CommandRecord } from '../../apps/cli/src/command-record.ts';
import { COMMANDS } from '../../apps/cli/src/commands/index.ts';
import { withBlocks } from './block.ts';

/** Escapes the vertical bar, which would end a table cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

const usage = (name: string, { arguments: words = [], options = [], forwards }: CommandRecord): string => {
  const shown = forwards
    ? []
    : options.map(({ flags, required }) => (required ? flags : `[${flags.replace(/, /, '|')}]`));
  return [name, ...words.map((word) => word.name), ...shown].join(' ');
};

/** Generates the table of commands in the README of the command line. */
export async function generateCommands(): Promise<Map<string, string>> {
  const rows = await Promise.all(
    COMMANDS.map(async ({ name, summary, load }) => {
      const { command } = await load();
      return `| \`${cell(usage(name, command))}\` | ${summary} |`;
    }),
  );
  const table = ['| Command | Does |', '|---|---|', ...rows].join('\n');
  return new Map([await withBlocks('apps/cli/README.md', { commands: table })]);
}
