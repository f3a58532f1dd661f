import rehypeKatex from 'rehype-katex';

/** Limits of a formula: macros of hostile texts expand without end, and rules grow without end. `trust` is off: no links, no pictures. */
const LIMITS = { output: 'mathml', trust: false, strict: false, maxExpand: 200, maxSize: 20 } as const;

/** Draws mathematics as MathML, which needs neither a font nor a style sheet. */
export const plugin = () => rehypeKatex(LIMITS);
