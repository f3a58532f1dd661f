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
 * Reads what a script was started with. `--help` prints how it is used and ends the process with 0; an option that there is not, and
 * what `resultOf` refuses by an error, print why and end it with 2.
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

/** The one folder that a script is about. @throws RangeError when there is none or more than one */
export function folderOf({ positionals: [folder, ...others] }: { positionals: readonly string[] }): string {
  if (folder === undefined || others.length > 0) throw new RangeError('Name one folder.');
  return folder;
}

/** @throws RangeError when words follow that a script without arguments has no use for */
export function refuseWords({ positionals }: { positionals: readonly string[] }): void {
  if (positionals.length > 0) throw new RangeError(`There is no use for ${positionals.join(' ')}.`);
}
