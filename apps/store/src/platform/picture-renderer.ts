/**
 * A rendered picture: a PNG or WebP of known size, with its look, or the reason why it takes too much time or memory to draw. The look is a
 * perceptual hash in 32 hexadecimal digits, null for a picture without contours; pictures that people can confuse differ in few bits.
 */
export type Drawing = { ok: true; png: Uint8Array; look: string | null } | { ok: false; why: string };

/** The content of a link preview: a picture next to some lines of text. */
export type Preview = {
  /** A PNG that the store rendered. */
  picture: Uint8Array;
  title: string;
  subtitle: string;
  /** Small text at the bottom. */
  foot: string;
  /** The colour of the bar below it, the accent of the store, as `#rrggbb`. */
  accent: string;
};

/** Draws untrusted pictures where a drawing can be ended at any time. */
export interface PictureRenderer {
  /**
   * Draws a picture as a PNG.
   * @param bytes a PNG or an SVG that passed the checks
   * @param square the side of the square in which it is centred, in pixels; it has the shape of the picture when omitted
   * @throws UnavailableError when it cannot be drawn now for a reason other than the picture
   */
  draw(bytes: Uint8Array, square?: number): Promise<Drawing>;
  /**
   * Draws a picture as a WebP with sides of at most this many pixels. It has no look.
   * @throws UnavailableError as `draw` does
   */
  drawSmall(bytes: Uint8Array, side: number): Promise<Drawing>;
  /**
   * Draws a link preview, a PNG of 1200 by 630 pixels. Its texts must only have characters of the bundled font; they are not changed.
   * @throws UnavailableError as `draw` does
   */
  drawPreview(preview: Preview): Promise<Drawing>;
}
