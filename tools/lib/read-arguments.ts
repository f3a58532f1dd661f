import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Option = ParseArgsOptionsConfig[string];
type Value<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O['multiple'] extends true
    ? string[]
    : string;
type Parsed<O extends ParseArgsOptionsConfig> = {
  values: { [Name in keyof O]?: Value<O[Name]> };
  positionals: string[];
};

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/**
 * Parses the command line of a script. `--help` prints the usage and exits with 0. An unknown option, or an error thrown by `resultOf`,
 * prints the reason and the usage, and exits with 2.
 */
export function readArguments<const O extends ParseArgsOptionsConfig, Result>(
  usage: string,
  options: O,
  resultOf: (parsed: Parsed<O>) => Result,
): Result {
  try {
    const parsed = parseArgs({ options: { ...options, ...HELP }, allowPositionals: true });
    if ((parsed.values as { help?: boolean }).help) {
      process.stdout.write(usage);
      process.exit(0);
    }
    return resultOf(parsed as unknown as Parsed<O>);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    return process.exit(2);
  }
}

/** The folder argument of a script. @throws RangeError unless there is exactly one */
export function folderOf({ positionals: [folder, ...others] }: { positionals: readonly string[] }): string {
  if (folder === undefined || others.length > 0) throw new RangeError('Name one folder.');
  return folder;
}

/** Refuses positional arguments. @throws RangeError when there are any */
export function refuseWords({ positionals }: { positionals: readonly string[] }): void {
  if (positionals.length > 0) throw new RangeError(`There is no use for ${positionals.join(' ')}.`);
}
