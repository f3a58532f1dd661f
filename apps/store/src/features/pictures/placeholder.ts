/** A grey square of one pixel, shown instead of a picture that cannot be drawn. */
export const PLACEHOLDER: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mO4CwAA3wDehPEKOwAAAABJRU5ErkJggg==',
  'base64',
);
