import type { MediaRequest } from '@svc/contracts';
import { MediaError } from './media-error.ts';

/** A part of a picture, in pixels. */
export type Region = { left: number; top: number; width: number; height: number };

type Size = { width: number; height: number };

/** The largest shape of an aspect that fits. */
function shaped({ width, height }: Size, aspect: string): Size {
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  const scale = Math.min(width / across, height / down);
  return { width: Math.max(1, Math.round(across * scale)), height: Math.max(1, Math.round(down * scale)) };
}

/** Where a part begins so that it lies where the gravity draws it. */
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
 * The part of a picture that a `crop` keeps: an aspect, or a size, at an offset where one is given and else where gravity draws
 * it. A size larger than the picture ends at its edges.
 */
export function cropRegion(whole: Size, request: MediaRequest): Region {
  const { x, y, aspect, gravity } = request;
  const wanted = aspect
    ? shaped(whole, aspect)
    : { width: request.width ?? whole.width, height: request.height ?? whole.height };
  const [left, top] = [x ?? 0, y ?? 0];
  if (left >= whole.width || top >= whole.height)
    throw new MediaError('The part begins outside of the picture.');
  const width = Math.min(wanted.width, whole.width - left);
  const height = Math.min(wanted.height, whole.height - top);
  const begin = drawn(whole, { width, height }, gravity);
  return { left: x ?? begin.left, top: y ?? begin.top, width, height };
}
