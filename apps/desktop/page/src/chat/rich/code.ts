import rehypeHighlight from 'rehype-highlight';

/** Highlights fenced code whose language is named: guessing would take far longer than drawing. */
export const plugins = { remark: [], rehype: [rehypeHighlight] };
