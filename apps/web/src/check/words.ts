export { visible } from '@svc/text';

/** `1 error`, `2 errors`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const KIB = 1024;

/** A size in bytes as text: `812 bytes`, `4.2 KiB`, `1.0 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return count(bytes, 'byte');
  const [amount, unit] = bytes < KIB * KIB ? [bytes / KIB, 'KiB'] : [bytes / KIB / KIB, 'MiB'];
  return `${amount.toFixed(1)} ${unit}`;
}
