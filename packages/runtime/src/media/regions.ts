import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-task.ts';

/** A region of an image, in pixels. */
export type Region = { left: number; top: number; width: number; height: number };

type Size = { width: number; height: number };

/** The largest size with an aspect ratio that fits. */
function shaped({ width, height }: Size, aspect: string): Size {
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  const scale = Math.min(width / across, height / down);
  return { width: Math.max(1, Math.round(across * scale)), height: Math.max(1, Math.round(down * scale)) };
}

/** The offset that places a region by its gravity. */
function drawn(
  whole: Size,
  part: Size,
  gravity: MediaRequest['gravity'] = 'center',
): { left: number; top: number } {
  const [wide, high] = [whole.width - part.width, whole.height - part.height];
  const left = gravity === 'west' ? 0 : gravity === 'east' ? wide : Math.floor(wide / 2);
  const top = gravity === 'north' ? 0 : gravity === 'south' ? high : Math.floor(high / 2);
  return { left, top };
}

/**
 * The region that a `crop` keeps: an aspect ratio or a size, at the given offset or else placed by gravity. A size larger than the
 * image is clipped.
 */
export function cropRegion(whole: Size, request: MediaRequest): Region {
  const { x, y, aspect, gravity } = request;
  const wanted = aspect
    ? shaped(whole, aspect)
    : { width: request.width ?? whole.width, height: request.height ?? whole.height };
  const [left, top] = [x ?? 0, y ?? 0];
  if (left >= whole.width || top >= whole.height)
    throw new MediaError('The region starts outside the picture.');
  const width = Math.min(wanted.width, whole.width - left);
  const height = Math.min(wanted.height, whole.height - top);
  const begin = drawn(whole, { width, height }, gravity);
  return { left: x ?? begin.left, top: y ?? begin.top, width, height };
}
