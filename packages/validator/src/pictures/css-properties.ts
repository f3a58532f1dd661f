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
