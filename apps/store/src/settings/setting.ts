/** A setting that cannot be used. The message is the one line that the operator reads. */
export class SettingError extends Error {}

/**
 * One setting of a store: all that is said and done about it before it is used. The type of `Settings`, what the environment and the
 * settings file may hold, the sentence of a refusal, `svc-store --help`, the table in docs/operating.md, the page of administrators and
 * `config print` come from here.
 */
export type Setting<Value = unknown, Unset extends string | null = string | null> = {
  /** The name of its variable. */
  variable: string;
  /** Whether its value is shown to no one: addresses of databases and mail servers hold passwords. */
  secret: boolean;
  /** What it is for, in Markdown. */
  doc: string;
  /** The section of docs/operating.md that says more, as its address. */
  more?: string;
  /** What counts when it is not set: a value, spelt as in a variable; null when something else does, which `otherwise` names. */
  unset: Unset;
  /** What counts when it is not set, in Markdown, where that is not `unset`. */
  otherwise?: string;
  /** The sentence that refuses a value, after the name of the variable. It never repeats the value. */
  must: string;
  /** Variables that must be set when this one is. */
  needs?: readonly string[];
  /**
   * The value of a text that is not empty; undefined when it is none.
   * @throws SettingError with a sentence that says more than `must`
   */
  read(text: string): Value | undefined;
};

/** One row of the table, with its types. */
export const setting = <Value, Unset extends string | null>(
  row: Setting<Value, Unset>,
): Setting<Value, Unset> => row;

/** The type of a setting's value, once read. */
export type ValueOf<S> =
  S extends Setting<infer Value, infer Unset> ? Value | (Unset extends null ? null : never) : never;

/** Takes any text. */
export const anyText = (text: string): string => text;

/** Takes one of a few words. */
export const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (text: string): Word | undefined =>
    words.find((word) => word === text);

/**
 * The value of a reader that says what is wrong.
 * @throws SettingError with what it says
 */
export function orFault<Value extends object>(read: Value | { fault: string }): Value {
  if ('fault' in read) throw new SettingError(read.fault);
  return read;
}
