declare module 'subset-font' {
  /** The characters of a font that a text has, as a font file. */
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: { targetFormat: 'woff2'; variationAxes: Readonly<Record<string, { min: number; max: number }>> },
  ): Promise<Uint8Array>;
}
