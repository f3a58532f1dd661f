import type { CommandContext } from '../command-context.ts';
import { type CommandRow, defineCommand } from '../command-record.ts';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import { completionTable } from '../completion/table.ts';

/** `svc completion`: prints the completion script of a shell. */
async function completion(
  { terminal }: CommandContext,
  shell: Shell,
  commands: readonly CommandRow[],
): Promise<number> {
  terminal.out(SCRIPTS[shell](await completionTable(commands)));
  return 0;
}

/** The definition for the command line. */
export const command = defineCommand<[Shell], unknown>({
  arguments: [{ name: '<shell>', help: SHELLS.join(', '), choices: SHELLS }],
  details: [
    'bash: svc completion bash > ~/.local/share/bash-completion/completions/svc',
    'zsh: svc completion zsh > a folder of $fpath, as _svc',
    'fish: svc completion fish > ~/.config/fish/completions/svc.fish',
  ].join('\n'),
  examples: ['completion bash'],
  run: (context, [shell], _options, commands) => completion(context, shell, commands),
});
