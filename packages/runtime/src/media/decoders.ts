import sharp from 'sharp';

/** Maximum pixels of all frames of a file, before and after: enough for cameras, and a limit for decompression bombs. */
export const MAX_PIXELS = 100_000_000;

/** Decoders of sharp that this process may run, by the end of their names in libvips. */
const FILES = ['Png', 'Jpeg', 'Webp', 'Heif', 'Nsgif', 'Tiff'];
const DRAWINGS = ['Png', 'Jpeg', 'Webp', 'Svg'];

sharp.concurrency(1);
sharp.cache(false);

/** Enables only these decoders, whatever type a file claims. One task runs at a time in a process. */
export function enableDecoders(of: 'files' | 'drawings'): void {
  const names = of === 'files' ? FILES : DRAWINGS;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: names.map((name) => `VipsForeignLoad${name}Buffer`) });
}
