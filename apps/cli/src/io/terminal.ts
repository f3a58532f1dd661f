import { guardTerminal } from '@svc/text/escape';

/** Where a command writes. Callers escape untrusted text; `cleanTerminal` is the safety net. */
export type Terminal = {
  /** Results: standard output. */
  out(text: string): void;
  /** Errors, warnings and hints: standard error. */
  err(text: string): void;
  /** Whether `out` supports colour codes. */
  colour: boolean;
  /** Whether `out` is a screen that can be cleared. */
  isScreen: boolean;
  /** Characters on a line of `out`. */
  columns: number;
  /** Whether `out` shows characters beyond ASCII. */
  unicode: boolean;
};

type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

type Env = Readonly<Record<string, string | undefined>>;

/** Default line width, for pipes and for terminals that do not report theirs. */
const COLUMNS = 80;

/** Reads the POSIX locale (XBD 8.2: the first variable that is not empty); Windows Terminal sets WT_SESSION. */
function showsUnicode({ LC_ALL, LC_CTYPE, LANG, WT_SESSION }: Env): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') || Boolean(WT_SESSION);
}

/**
 * The terminal that the program was started from.
 * @param env a non-empty `NO_COLOR`, or `TERM=dumb`, disables colour
 */
export const terminalOf = (stdout: Output, stderr: Output, env: Env): Terminal => ({
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  colour: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
  isScreen: stdout.isTTY === true && env.TERM !== 'dumb',
  columns: stdout.columns || COLUMNS,
  unicode: showsUnicode(env),
});

/** Tokens of stores: a token typed on the command line by mistake must not be printed. */
const TOKEN_SHAPED = /\bsvc[dpc]_\w+/g;

/** Minimum length of a secret to hide: hiding shorter texts would garble the output. */
const MIN_SECRET = 8;

/**
 * Wraps a terminal so that it hides the given secret and anything shaped like a token (a store could echo the token it received), and
 * all control characters except the line feeds and colours of svc.
 */
export function cleanTerminal(terminal: Terminal, secret: string | undefined): Terminal {
  const hide = (text: string): string => {
    const known = secret !== undefined && secret.length >= MIN_SECRET;
    const shown = (known ? text.replaceAll(secret, '[token]') : text).replace(TOKEN_SHAPED, '[token]');
    return guardTerminal(shown, terminal.colour || terminal.isScreen);
  };
  return {
    ...terminal,
    out: (text) => terminal.out(hide(text)),
    err: (text) => terminal.err(hide(text)),
  };
}

/** The same terminal for a command with JSON output: text goes to standard error. */
export const quiet = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: terminal.err,
  isScreen: false,
});
