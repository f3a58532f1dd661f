/** What pages show of a picture: a PNG of known size, or that it takes too much to draw. */
export type Drawing = { ok: true; png: Uint8Array } | { ok: false; why: string };

/** What a link preview shows: a picture beside some lines of text. */
export type Preview = {
  /** A PNG that was drawn here. */
  picture: Uint8Array;
  title: string;
  subtitle: string;
  /** In small letters at the foot. */
  foot: string;
};

/** Draws pictures of strangers somewhere where one can be ended, whatever it does to what draws it. */
export interface PictureRenderer {
  /**
   * @param bytes a PNG or an SVG that passed the checks
   * @throws UnavailableError when it cannot be drawn now for a reason that is not the picture's
   */
  draw(bytes: Uint8Array): Promise<Drawing>;
  /**
   * Draws a link preview, a PNG of 1200 by 630 pixels. Its texts have letters of the bundled font alone, and are taken as they are.
   * @throws UnavailableError as `draw` does
   */
  drawPreview(preview: Preview): Promise<Drawing>;
}
