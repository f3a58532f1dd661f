declare module 'markdown-it-footnote' {
  /** The plugin, which has no types of its own. */
  const footnotes: (reader: import('markdown-it').default) => void;
  export default footnotes;
}
