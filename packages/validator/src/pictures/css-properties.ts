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

/** Maximum length of the value of a CSS variable, since each use of it makes a copy. */
const MAX_VARIABLE = 200;

/**
 * Why a declaration is not known to be harmless; undefined when it is.
 * @param property in lower case
 * @param value without comments and strings
 */
export function unsafeDeclarationReason(property: string, value: string): string | undefined {
  if (property.startsWith('--')) return unsafeVariableReason(value);
  if (PROPERTIES.has(property) || property.startsWith('-inkscape-')) return undefined;
  return `the CSS property ${JSON.stringify(property.slice(0, 40))}, which is not allowed in a still image`;
}

/** A variable may contain a colour or a number. Effects must be written where they are used, so that their cost is known. */
function unsafeVariableReason(value: string): string | undefined {
  if (value.length > MAX_VARIABLE) return `a CSS variable with more than ${MAX_VARIABLE} characters`;
  return /(?:^|[^-\w])(?!(?:rgba?|hsla?|calc|url)\()[-\w]+\(/i.test(value)
    ? 'a CSS function in a CSS variable'
    : undefined;
}
