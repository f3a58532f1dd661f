import { guardTerminal } from '@svc/text/escape';

/** Where a command writes. What comes from strangers is escaped before; `guarded` stops what forgot to. */
export type Terminal = {
  /** Results: standard output. */
  out(text: string): void;
  /** Complaints and hints: standard error. */
  err(text: string): void;
  /** Whether `out` may be given colour codes. */
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

/** Line width where nobody says: of a pipe, and of a terminal that does not know its own. */
const COLUMNS = 80;

/** The locale as POSIX names it (XBD 8.2: the first of these that is not empty); Windows has none. */
function showsUnicode({ LC_ALL, LC_CTYPE, LANG, WT_SESSION }: Env): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') || Boolean(WT_SESSION);
}

/**
 * The terminal that the program was started from.
 * @param env `NO_COLOR`, when not empty, and `TERM=dumb` take the colour away
 */
export const terminalOf = (stdout: Output, stderr: Output, env: Env): Terminal => ({
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  colour: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
  isScreen: stdout.isTTY === true && env.TERM !== 'dumb',
  columns: stdout.columns || COLUMNS,
  unicode: showsUnicode(env),
});

/** Tokens as stores write them: one put on the command line by mistake must not be repeated. */
const TOKEN_SHAPED = /\bsvc[dpc]_\w+/g;

/** Shorter texts are no tokens, and hiding them would garble the output. */
const MIN_SECRET = 8;

/**
 * The one way of commands to the terminal: it shows neither the given secret nor anything shaped like a token, no matter who wrote
 * it, as a store could send back the token it got; and no control characters but the line feeds and colours of svc itself.
 */
export function guarded(terminal: Terminal, secret: string | undefined): Terminal {
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

/** The same terminal for a command that answers with JSON: what is text goes to standard error. */
export const quiet = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: terminal.err,
  isScreen: false,
});
