/** A token of CSS. Every alternative also matches up to the end of the text, so that any text is read in linear time. */
const TOKEN =
  /(?<comment>\/\*[\s\S]*?(?:\*\/|$))|(?<string>"[^"\n\r\f]*"?|'[^'\n\r\f]*'?)|@(?<rule>[-\w]*)|(?<word>[-\w]+)(?<call>\s*\()?/g;

type Groups = Readonly<Record<string, string | undefined>>;

const OPEN = 'CSS with a comment or a string that does not end';
/** Maximum length of a name that a finding quotes. */
const MAX_NAME = 40;

/** The only valid argument of `url(`: an id in the same document. */
const OWN_ID = /\s*(?:"#[^\s"'#()<>/]+"|'#[^\s"'#()<>/]+'|#[^\s"'#()<>/]+)\s*\)/y;

/** At-rules without requests and animations: an animation is drawn again in every frame. */
const RULES: ReadonlySet<string> = new Set('media supports font-face charset'.split(' '));

/** Functions of colours, lengths, transforms, shapes, filters and selectors. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark icc-color device-cmyk
  calc min max clamp var
  matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy
  circle ellipse inset polygon
  blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
  not is where lang and or`.split(/\s+/),
);

/**
 * Why CSS could load something, animate, or is not known to be harmless; undefined when it is harmless. Escapes are refused,
 * so that each name has only one spelling. `<` has no use in CSS, and starts a tag when the SVG is inserted into an HTML
 * page.
 */
export function unsafeCssReason(css: string): string | undefined {
  if (css.includes('\\')) return 'CSS with a backslash, which can hide what it says';
  if (css.includes('<')) return 'CSS with a "<"';
  for (const { groups = {}, index, 0: token } of css.matchAll(TOKEN)) {
    const why = unsafeTokenReason(groups, css, index + token.length);
    if (why !== undefined) return why;
  }
  return undefined;
}

function unsafeTokenReason(groups: Groups, css: string, end: number): string | undefined {
  const { comment, string, rule, word, call } = groups;
  if (comment !== undefined) return isClosed(comment, '*/', 4) ? undefined : OPEN;
  if (string !== undefined) return isClosed(string, string.charAt(0), 2) ? undefined : OPEN;
  if (rule !== undefined) return unsafeRuleReason(rule.toLowerCase());
  if (word === undefined || call === undefined) return undefined;
  const name = word.toLowerCase();
  if (name === 'url') {
    OWN_ID.lastIndex = end;
    return OWN_ID.test(css) ? undefined : 'a url(…) that is not an "#id" in the same file';
  }
  return FUNCTIONS.has(name) ? undefined : `the CSS function ${name.slice(0, MAX_NAME)}()`;
}

function isClosed(text: string, end: string, shortest: number): boolean {
  return text.length >= shortest && text.endsWith(end);
}

function unsafeRuleReason(rule: string): string | undefined {
  if (RULES.has(rule)) return undefined;
  if (rule.endsWith('keyframes')) return 'a CSS animation (@keyframes), which is not allowed';
  return rule === 'import' ? 'the CSS rule @import' : 'a CSS rule that is not allowed in a still image';
}

/** Properties that move an image; `@keyframes` is refused as a rule. */
const MOTION = /^(?:-\w+-)?(?:animation|transition)(?:-|$)/;

/** Comments, strings and addresses, in which signs have no meaning. Only for CSS that `unsafeCssReason` accepted. */
const OPAQUE = /\/\*[\s\S]*?(?:\*\/|$)|"[^"]*(?:"|$)|'[^']*(?:'|$)|url\([^()]*\)/gi;
/** A declaration ends before the next one, or at a brace; what ends at an opening brace is a selector. */
const PARTS = /([^{};]*)([{};]|$)/g;

/**
 * Why the declarations of a `style` attribute or a style sheet are not those of a still image; undefined when they are. What else they do
 * is bounded: `unsafeCssReason` refuses addresses and unknown functions, and programs draw with limits.
 */
export function unsafeDeclarationsReason(css: string): string | undefined {
  for (const [, part = '', end] of css.replace(OPAQUE, ' ').matchAll(PARTS)) {
    const property = part
      .slice(0, Math.max(0, part.indexOf(':')))
      .trim()
      .toLowerCase();
    if (end !== '{' && MOTION.test(property))
      return `the CSS property ${JSON.stringify(property.slice(0, 40))}, which is not allowed in a still image`;
  }
  return undefined;
}
