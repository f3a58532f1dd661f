/** Characters that hide, reorder or break text when it is shown: control, format and filler characters, lone halves. */
const TREACHEROUS = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text of strangers with nothing hidden in it. */
export const visible = (text: string): string =>
  text.replace(TREACHEROUS, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** `1 error`, `2 errors`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const KIB = 1024;

/** A size in bytes, for people: `812 bytes`, `4.2 KiB`, `1.0 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return count(bytes, 'byte');
  const [amount, unit] = bytes < KIB * KIB ? [bytes / KIB, 'KiB'] : [bytes / KIB / KIB, 'MiB'];
  return `${amount.toFixed(1)} ${unit}`;
}
