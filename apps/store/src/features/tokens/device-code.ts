import { USER_CODE_LETTERS } from '@svc/contracts';
import type { RandomBytes } from '../../platform/system.ts';

const LENGTH = 8;
const SHAPE = new RegExp(`^[${USER_CODE_LETTERS}]{${LENGTH}}$`);

/** Creates a random user code of 8 letters, one of 20^8. Bytes above the last multiple of 20 are discarded, against modulo bias. */
export function newUserCode(random: RandomBytes): string {
  const fair = 256 - (256 % USER_CODE_LETTERS.length);
  let code = '';
  while (code.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < fair && code.length < LENGTH) code += USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length];
    }
  }
  return code;
}

/** Formats a user code for display: `XXXX-XXXX`. */
export const shownUserCode = (code: string): string =>
  `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** Parses a typed code: in any case, with or without the hyphen, with spaces. Null when it is malformed. */
export function readUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  return SHAPE.test(code) ? code : null;
}
