/** Side of the icon in pixels, as the store requires. */
const SIDE = 512;

/** A letter or a digit; a combining mark or part of an emoji alone would look broken. */
const INITIAL = /[\p{L}\p{N}]/u;

/** A disc with a halo, for a name without a letter. */
const SHAPE = '<circle cx="256" cy="256" r="136" opacity=".35"/>\n    <circle cx="256" cy="256" r="72"/>';

/**
 * A square icon: the first letter of the name, on the accent colour.
 * @param accent `#RRGGBB`
 */
export function iconSvg(name: string, accent: string): string {
  const [initial] = INITIAL.exec(name) ?? [];
  const symbol =
    initial === undefined
      ? SHAPE
      : `<text x="256" y="268" font-family="system-ui, 'Helvetica Neue', Arial, sans-serif" font-size="288" font-weight="600" text-anchor="middle" dominant-baseline="central">${initial.toLocaleUpperCase('en')}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 ${SIDE} ${SIDE}">
  <defs>
    <linearGradient id="light" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="#fff" stop-opacity=".16"/>
      <stop offset="1" stop-color="#000" stop-opacity=".12"/>
    </linearGradient>
  </defs>
  <rect width="${SIDE}" height="${SIDE}" rx="112" fill="${accent}"/>
  <rect width="${SIDE}" height="${SIDE}" rx="112" fill="url(#light)"/>
  <g fill="#fff">
    ${symbol}
  </g>
</svg>
`;
}
