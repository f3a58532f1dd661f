<<<<<<< HEAD
/**
 * The CSS properties that a still image may use. Excluded: animation (`animation`, `transition`), effects on the background
 * (`backdrop-filter`), drawing outside the shapes (`background-image`, shadows of text and boxes), and every property that
 * is not reviewed yet.
 */
const PROPERTIES: ReadonlySet<string> = new Set(
  `fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-opacity stroke-width opacity color color-interpolation color-interpolation-filters
  color-profile color-rendering color-scheme clip clip-path clip-rule mask mask-type
  marker marker-start marker-mid marker-end
  filter flood-color flood-opacity lighting-color stop-color stop-opacity solid-color solid-opacity
  display visibility overflow cursor pointer-events paint-order vector-effect isolation mix-blend-mode
  enable-background background background-color forced-color-adjust user-select
  shape-rendering text-rendering image-rendering buffered-rendering
  transform transform-origin transform-box x y cx cy r rx ry width height max-width max-height min-width min-height
  margin padding border outline vertical-align block-progression shape-inside shape-padding shape-margin inline-size
  font font-family font-size font-size-adjust font-stretch font-style font-variant font-weight font-synthesis
  font-variant-ligatures font-variant-position font-variant-caps font-variant-numeric font-variant-alternates
  font-variant-east-asian font-variant-east_asian font-feature-settings font-variation-settings font-kerning font-display
  text-anchor text-align text-decoration text-decoration-line text-decoration-style text-decoration-color
  text-indent text-transform text-overflow text-orientation line-height letter-spacing word-spacing white-space
  writing-mode direction unicode-bidi unicode-range alignment-baseline baseline-shift dominant-baseline kerning
  glyph-orientation-horizontal glyph-orientation-vertical`.split(/\s+/),
);
=======
/** Properties that move an image; `@keyframes` is refused as a rule. */
const MOTION = /^(?:-\w+-)?(?:animation|transition)(?:-|$)/;
>>>>>>> 5f9baeb8 (validator, store, runtime: draw pictures once instead of estimating their cost)

/** Comments, strings and addresses, in which signs have no meaning. Only for CSS that `unsafeCssReason` accepted. */
const OPAQUE = /\/\*[\s\S]*?(?:\*\/|$)|"[^"]*(?:"|$)|'[^']*(?:'|$)|url\([^)]*\)/gi;
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
