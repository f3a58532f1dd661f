/** An invalid setting. The message is the one line that the operator reads. */
export class SettingError extends Error {}

/**
 * One setting of a store. The type of `Settings`, the variables that the environment and the settings file may set, the messages about
 * invalid values, `svc-store --help`, the table in docs/reference/settings.md, the administrators' page and `config print` come from here.
 */
export type Setting<Value = unknown, Unset extends string | null = string | null> = {
  /** The name of the environment variable. */
  variable: string;
  /** Whether the value is never shown: addresses of databases and mail servers contain passwords. */
  secret: boolean;
  /** What the setting does, in Markdown. */
  doc: string;
  /** The section with the details: a page of docs/, and its anchor. */
  more?: string;
  /** The default, written as in a variable; null when there is no fixed default, and `otherwise` describes what happens. */
  unset: Unset;
  /** Describes the default in Markdown, where `unset` does not. */
  otherwise?: string;
  /** What a value must be, as the message about an invalid one says it after the name of the variable. It never repeats the value. */
  must: string;
  /** Variables that must be set when this one is. */
  needs?: readonly string[];
  /**
   * Parses a text that is not empty; undefined when it is not valid.
   * @throws SettingError with a message that is more specific than `must`
   */
  read(text: string): Value | undefined;
};

/** Declares one row of the table, with its types. It is no secret, and has no fixed default, unless it says otherwise. */
export const setting = <Value, const Unset extends string | null = null>(
  variable: string,
  row: Omit<Setting<Value, Unset>, 'variable' | 'secret' | 'unset'> & { secret?: true; unset?: Unset },
): Setting<Value, Unset> => ({ variable, secret: false, ...row, unset: row.unset ?? (null as Unset) });

/** The type of a setting's value, once read. */
export type ValueOf<S> =
  S extends Setting<infer Value, infer Unset> ? Value | (Unset extends null ? null : never) : never;

export const anyText = (text: string): string => text;

/** Declares a setting that is one of a few words. */
export const choice = <const Word extends string, const Unset extends string | null = null>(
  variable: string,
  words: readonly Word[],
  row: Omit<Parameters<typeof setting<Word, Unset>>[1], 'must' | 'read'> & { must?: string },
) =>
  setting<Word, Unset>(variable, {
    must: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    ...row,
    read: (text) => words.find((word) => word === text),
  });

/**
 * Returns a value that was read, or throws the fault that was returned instead.
 * @throws SettingError with the fault as its message
 */
export function orFault<Value extends object>(read: Value | { fault: string }): Value {
  if ('fault' in read) throw new SettingError(read.fault);
  return read;
}
