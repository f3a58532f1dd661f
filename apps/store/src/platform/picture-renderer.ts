/** What pages show of a picture: a PNG of known size, or that it takes too much to draw. */
export type Drawing = { ok: true; png: Uint8Array } | { ok: false; why: string };

/** Draws pictures of strangers somewhere where one can be ended, whatever it does to what draws it. */
export interface PictureRenderer {
  /**
   * @param bytes a PNG or an SVG that passed the checks
   * @throws UnavailableError when it cannot be drawn now for a reason that is not the picture's
   */
  draw(bytes: Uint8Array): Promise<Drawing>;
}
