const KIB = 1024;

/** Formats a size in bytes: `812 bytes`, `4.2 KiB`, `1.0 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  const [amount, unit] = bytes < KIB * KIB ? [bytes / KIB, 'KiB'] : [bytes / KIB / KIB, 'MiB'];
  return `${amount.toFixed(1)} ${unit}`;
}

/** Formats a duration in milliseconds: `42 ms`, `16.9 s`. */
export const durationText = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
