import type { Issue } from '@svc/contracts';

/** Longest stretch of a hostile name that a message repeats. */
const SHOWN = 80;

/** Characters that can hide, reorder or break text when it is shown; JSON escapes only the first 32 of them. */
const TREACHEROUS = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Why a zip is not read. A step of the reader returns one in place of its result; nothing throws it. */
export class Refusal {
  /** Name of the entry at fault, or empty when the fault is the archive's. */
  readonly path: string;
  readonly message: string;

  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }

  /** The refusal as callers of the package see it. */
  toIssue(): Issue {
    return { code: 'invalid_bundle', level: 'error', path: this.path, message: this.message };
  }
}

/** A name made safe to stand inside a message: quoted, escaped, cut. */
export function quote(name: string): string {
  const cut = name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name;
  return JSON.stringify(cut.toWellFormed()).replace(TREACHEROUS, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
