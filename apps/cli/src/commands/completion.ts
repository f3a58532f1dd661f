import { type CommandRow, defineCommand } from '../command-record.ts';
import { type Flag, flagOf } from '../option.ts';

/** The completions after the name of a command. */
type Completions = {
  name: string;
  summary: string;
  flags: readonly Flag[];
  /** Values of the first argument; empty when any value is allowed. */
  words: readonly string[];
  /** Whether its arguments complete to files. */
  takesFiles: boolean;
};

const PATH_ARGUMENT = /^[<[](?:path|dir|target)/;

async function completionsOf({ name, summary, load }: CommandRow): Promise<Completions> {
  const { command } = await load();
  const [first] = command.arguments ?? [];
  return {
    name,
    summary,
    flags: command.forwards ? [] : (command.options ?? []).map(flagOf),
    words: first?.choices ?? [],
    takesFiles: command.forwards === true || PATH_ARGUMENT.test(first?.name ?? ''),
  };
}

export const completionTable = (commands: readonly CommandRow[]): Promise<Completions[]> =>
  Promise.all(commands.map(completionsOf));

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Quotes a text as one shell word. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const namesOf = (flags: readonly Flag[]): string[] => flags.flatMap(({ names }) => names);

const valueCases = (flags: readonly Flag[]): string =>
  flags
    .filter(({ choices }) => choices.length > 0)
    .map(
      ({ names, choices }) =>
        `        ${names.join('|')}) COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$word")); return ;;\n`,
    )
    .join('');

const bashCase = ({ name, flags, words, takesFiles }: Completions): string => {
  const values = valueCases(flags);
  const rest = [...words, ...namesOf(flags), '--help'].join(' ');
  const files = takesFiles ? '      [[ $word == -* ]] || compopt -o default\n' : '';
  return `    ${name})\n${values === '' ? '' : `      case $before in\n${values}      esac\n`}${files}      COMPREPLY=($(compgen -W ${quote(rest)} -- "$word")) ;;\n`;
};

const bash = (table: readonly Completions[]): string => `# bash completion of svc
_svc() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quote([...table.map(({ name }) => name), '--help', '--version'].join(' '))} -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${table.map(bashCase).join('')}  esac
}
complete -F _svc svc
`;

/** Escapes brackets and colons, which are syntax in an _arguments specification. */
const zshText = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');

const zshFlag = ({ names, help, choices, takesValue }: Flag): string[] =>
  names.map((name) => {
    const value = takesValue ? `:value:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}` : '';
    return quote(`${name}[${zshText(help)}]${value}`);
  });

const zshCase = ({ name, flags, words, takesFiles }: Completions): string => {
  const args = words.length > 0 ? `(${words.join(' ')})` : takesFiles ? '_files' : ' ';
  const specs = [...flags.flatMap(zshFlag), quote('--help[show help]'), quote(`*:argument:${args}`)];
  return `    ${name}) _arguments ${specs.join(' ')} ;;\n`;
};

const zsh = (table: readonly Completions[]): string => `#compdef svc
_svc() {
  local -a commands=(
${table.map(({ name, summary }) => `    ${quote(`${name}:${zshText(summary)}`)}\n`).join('')}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=\${words[2]}
  shift words
  ((CURRENT--))
  case $command in
${table.map(zshCase).join('')}  esac
}
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`;

const fishFlag =
  (name: string) =>
  ({ names, help, choices, takesValue }: Flag): string => {
    const forms = names.map((flag) =>
      flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
    );
    const value = takesValue ? ` -r${choices.length > 0 ? ` -f -a ${quote(choices.join(' '))}` : ''}` : '';
    return `complete -c svc -n '__fish_seen_subcommand_from ${name}' ${forms.join(' ')}${value} -d ${quote(help)}\n`;
  };

const fishCase = ({ name, summary, flags, words, takesFiles }: Completions): string =>
  [
    `complete -c svc -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}\n`,
    takesFiles ? '' : `complete -c svc -n '__fish_seen_subcommand_from ${name}' -f\n`,
    words.length > 0
      ? `complete -c svc -n '__fish_seen_subcommand_from ${name}' -f -a ${quote(words.join(' '))}\n`
      : '',
    ...flags.map(fishFlag(name)),
  ].join('');

const fish = (table: readonly Completions[]): string =>
  `# fish completion of svc\n${table.map(fishCase).join('')}`;

export const SCRIPTS: Readonly<Record<Shell, (table: readonly Completions[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `svc completion`: prints the completion script of a shell. */
export const command = defineCommand<[Shell], unknown>({
  arguments: [{ name: '<shell>', help: SHELLS.join(', '), choices: SHELLS }],
  details: [
    'bash: svc completion bash > ~/.local/share/bash-completion/completions/svc',
    'zsh: svc completion zsh > a folder of $fpath, as _svc',
    'fish: svc completion fish > ~/.config/fish/completions/svc.fish',
  ].join('\n'),
  examples: ['completion bash'],
  async run({ terminal }, [shell], _options, commands) {
    terminal.out(SCRIPTS[shell](await completionTable(commands)));
    return 0;
  },
});
