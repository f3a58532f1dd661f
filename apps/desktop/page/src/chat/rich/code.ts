import rehypeHighlight from 'rehype-highlight';

/** One for all blocks: each holds the grammars of all languages, and compiles a grammar at its first use. */
const highlight = rehypeHighlight();

/** Highlights fenced code whose language is named: guessing would take far longer than drawing. */
export const plugin = () => highlight;
