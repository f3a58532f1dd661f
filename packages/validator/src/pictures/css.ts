/**
 * The tokens of CSS that matter here. Each alternative takes a whole run or fails at once, and what is left open ends the
 * search, so that a text is read once however it is made.
 */
const TOKEN =
  /(?<quiet>\/\*[\s\S]*?\*\/|"[^"\n\r\f]*"|'[^'\n\r\f]*'|url\(\s*(?:"#[^\s"'#()<>/]+"|'#[^\s"'#()<>/]+'|#[^\s"'#()<>/]+)\s*\))|(?<open>\/\*|["'])|@(?<rule>[-\w]*)|(?<word>[-\w]+)(?<call>\s*\()?/gi;

/** At-rules that fetch nothing by themselves. */
const RULES: ReadonlySet<string> = new Set(
  'media supports keyframes -webkit-keyframes font-face charset'.split(' '),
);

/** Functions that fetch, or run, what they are given; a `url(#id)` was taken out before. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  'url src image image-set cross-fade element expression paint'.split(' '),
);

/**
 * What in a piece of CSS reaches out of the document, or undefined. Escapes are refused as a whole: without them a name
 * can be written in one way only. `<` has no use in CSS, and is read as a tag where the SVG is put into a page of HTML.
 */
export function whyUnsafeCss(css: string): string | undefined {
  if (css.includes('\\')) return 'CSS with a backslash, which can hide what it says';
  if (css.includes('<')) return 'CSS with a "<"';
  for (const { groups = {} } of css.matchAll(TOKEN)) {
    const why = whyUnsafeToken(groups);
    if (why !== undefined) return why;
  }
  return undefined;
}

function whyUnsafeToken(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { open, rule, word, call } = groups;
  if (open !== undefined) return 'CSS with a comment or a string that does not end';
  if (rule !== undefined && !RULES.has(rule.toLowerCase())) {
    return rule.toLowerCase() === 'import'
      ? 'the CSS rule @import'
      : 'a CSS rule that a still picture has no use for';
  }
  if (word === undefined || call === undefined) return undefined;
  const name = word.toLowerCase().replace(/^-[a-z]+-/, '');
  if (!FUNCTIONS.has(name)) return undefined;
  return name === 'url'
    ? 'a url(…) of something else than an "#id" of its own'
    : `the CSS function ${name}()`;
}
