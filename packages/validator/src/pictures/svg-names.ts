/** The namespaces of SVG documents. */
export const SVG = 'http://www.w3.org/2000/svg';
export const XLINK = 'http://www.w3.org/1999/xlink';
export const XML = 'http://www.w3.org/XML/1998/namespace';

/** Adobe's namespaces of metadata and of its editors. */
export const ADOBE = 'http://ns.adobe.com/';

/**
 * Namespaces of metadata and of editors, besides Adobe's. Programs that show an SVG ignore them, but editors such as Inkscape write them
 * into every file. A closed list: an unknown namespace may have a meaning.
 */
export const NOTE_NAMESPACES: ReadonlySet<string> = new Set([
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://purl.org/dc/elements/1.1/',
  'http://purl.org/dc/terms/',
  'http://creativecommons.org/ns#',
  'http://web.resource.org/cc/',
  'http://www.inkscape.org/namespaces/inkscape',
  'http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://inkscape.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://www.bohemiancoding.com/sketch/ns',
  'http://www.serif.com/',
  'http://vectornator.io',
  'http://krita.org/namespaces/svg/krita',
  'https://boxy-svg.com',
  'http://svgjs.com/svgjs',
  'http://svgjs.dev/svgjs',
  'http://www.openswatchbook.org/uri/2009/osb',
  'http://www.corel.com/coreldraw/odm/2003',
  'http://xml.openoffice.org/svg/export',
  'https://penpot.app/xmlns',
  'https://www.gtk.org/grappa',
  'https://vecta.io/nano',
  'http://c2pa.org/manifest',
  'adobe:ns:meta/',
]);

/** Elements that Illustrator writes into `metadata` without a prefix; an HTML page has none with these names. */
export const SAVE_FOR_WEB: ReadonlySet<string> = new Set('sfw slices slice sliceSourceBounds'.split(' '));

/**
 * A document type declaration of SVG without declarations of its own. Browsers do not load what it names (HTML, 14.2: only the public
 * identifiers of XHTML and MathML have a meaning), so that it changes nothing.
 */
export const DOCTYPE =
  /^\s*svg(?:\s+PUBLIC\s+["']-\/\/W3C\/\/DTD SVG [\w. ]{1,40}\/\/EN["']\s+["']http:\/\/www\.w3\.org\/[\w./-]{1,80}\.dtd["'])?\s*$/;

/** Elements whose content is only text, because HTML and XML parse it differently. */
export const TEXT_ONLY: ReadonlySet<string> = new Set(['style', 'title', 'desc']);

/**
 * The elements of a still image, with the flowed text of SVG 1.2, which older versions of Inkscape write and no browser draws. Excluded, although harmless in themselves: animation, which could change checked attributes
 * after the check; links; embedded images and fonts, which are loaded from other addresses or from `data:` URLs.
 */
export const ELEMENTS: ReadonlySet<string> = new Set(
  `svg g defs symbol use switch view title desc metadata style
  path rect circle ellipse line polyline polygon text tspan textPath
  flowRoot flowRegion flowPara flowSpan flowDiv
  linearGradient radialGradient stop pattern clipPath mask marker filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`.split(/\s+/),
);

/** Attributes with text or names, which are never parsed as CSS. */
export const LABELS: ReadonlySet<string> = new Set('id class role lang type media systemLanguage'.split(' '));

/** The other attributes of a still image; any of them may be parsed as CSS. */
export const ATTRIBUTES: ReadonlySet<string> = new Set(
  `style version baseProfile contentScriptType contentStyleType zoomAndPan focusable tabindex enable-background
  requiredFeatures requiredExtensions externalResourcesRequired
  width height viewBox preserveAspectRatio x y z x1 y1 x2 y2 cx cy r rx ry fx fy fr d points pathLength dx dy
  rotate textLength lengthAdjust startOffset method spacing side offset transform transform-origin transform-box
  gradientUnits gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clipPathUnits
  maskUnits maskContentUnits markerUnits markerWidth markerHeight orient refX refY viewTarget
  filterUnits primitiveUnits filterRes in in2 result mode values tableValues slope intercept amplitude exponent
  operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY edgeMode kernelUnitLength preserveAlpha
  surfaceScale diffuseConstant specularConstant specularExponent limitingConeAngle azimuth elevation
  pointsAtX pointsAtY pointsAtZ xChannelSelector yChannelSelector scale stdDeviation radius baseFrequency
  numOctaves seed stitchTiles
  fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-opacity stroke-width opacity color color-interpolation color-interpolation-filters
  color-profile color-rendering clip clip-path clip-rule mask mask-type marker marker-start marker-mid marker-end
  filter flood-color flood-opacity lighting-color stop-color stop-opacity solid-color solid-opacity
  display visibility overflow cursor pointer-events paint-order vector-effect isolation mix-blend-mode
  shape-rendering text-rendering image-rendering buffered-rendering
  font font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
  font-feature-settings font-variation-settings font-kerning text-anchor text-align text-decoration text-indent
  text-transform text-overflow line-height letter-spacing word-spacing white-space writing-mode direction
  unicode-bidi alignment-baseline baseline-shift dominant-baseline kerning inline-size shape-inside
  glyph-orientation-horizontal glyph-orientation-vertical space p-id t`.split(/\s+/),
);
