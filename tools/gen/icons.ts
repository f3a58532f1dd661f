import nodes from 'lucide-static/icon-nodes.json' with { type: 'json' };

const FILE = 'packages/ui/static/icons.json';

/** The icons that pages use, by their lucide names. */
const NAMES = [
  'arrow-right',
  'box',
  'briefcase-business',
  'chart-column',
  'check',
  'code-xml',
  'download',
  'external-link',
  'file-text',
  'gamepad-2',
  'globe',
  'graduation-cap',
  'grid-2x2',
  'image',
  'key-round',
  'list-checks',
  'megaphone',
  'message-circle',
  'pen-tool',
  'search',
  'search-x',
  'shapes',
  'shield-check',
  'star',
  'upload',
  'user-round',
  'wallet',
  'wrench',
] as const;

const REACT_FILE = 'packages/ui/src/icons.json';

/** The icons of the React pages. */
const REACT_NAMES = [
  'activity',
  'arrow-down',
  'arrow-up',
  'bot',
  'check',
  'chevron-down',
  'chevron-left',
  'chevron-right',
  'chevron-up',
  'code-xml',
  'copy',
  'ellipsis',
  'file-text',
  'globe',
  'grip-vertical',
  'inbox',
  'key-round',
  'laptop',
  'layout-grid',
  'list-checks',
  'menu',
  'message-circle',
  'package-plus',
  'panel-left',
  'panel-right',
  'pencil',
  'plug',
  'plus',
  'refresh-cw',
  'search',
  'search-x',
  'settings',
  'shield-check',
  'square',
  'store',
  'upload',
  'user-round',
  'users-round',
  'wrench',
  'x',
] as const;

const NOTCHES = 12;
const MIDDLE = 12;

const point = (radius: number, angle: number): string =>
  [Math.cos(angle), Math.sin(angle)]
    .map((part) => String(Math.round((MIDDLE + radius * part) * 100) / 100))
    .join(' ');

/** The outline of the seal: a ring of twelve notches. */
function ring(inner: number, outer: number): string {
  const step = (2 * Math.PI) / NOTCHES;
  const notches = Array.from({ length: NOTCHES }, (_, n) => {
    const angle = n * step - Math.PI / 2;
    return `Q${point(outer, angle + step / 2)} ${point(inner, angle + step)}`;
  });
  return `M${point(inner, -Math.PI / 2)}${notches.join('')}z`;
}

const CHECK = 'M7.1 12.4l1.5-1.5 2.2 2.2 5-5 1.5 1.5-6.5 6.5z';
const CARE = 'M11 7.2h2v6h-2zM11 14.8h2v2h-2z';
const FILLED = { fill: 'currentcolor', stroke: 'none', 'fill-rule': 'evenodd' };

/** The seals: what a store vouches for is filled. */
const SEALS = [
  ['seal-vouched', [['path', { ...FILLED, d: ring(9.6, 13) + CHECK }]]],
  ['seal-open', [['path', { ...FILLED, d: ring(9.6, 13) + ring(7.9, 10.9) }]]],
  ['seal-care', [['path', { ...FILLED, d: ring(9.6, 13) + ring(7.9, 10.9) + CARE }]]],
] satisfies [string, Node[]][];

/** The mark of svc, in one colour: in tabs, in headers, on the home screens of phones. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><title>svc</title><style>path{fill:#0b6b57}@media(prefers-color-scheme:dark){path{fill:#5fd9b8}}</style><path fill-rule="evenodd" d="${ring(10.4, 13.6)}${ring(8.7, 11.4)}${CHECK}"/></svg>\n`;

const MARK_FILES = ['apps/store/static/icon.svg', 'apps/desktop/page/src/icon.svg', 'apps/web/src/icon.svg'];

type Node = [tag: string, attributes: Record<string, string>];

const markupOf = ([tag, attributes]: Node): string =>
  `<${tag} ${Object.entries(attributes)
    .filter(([name]) => name !== 'key')
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')}/>`;

function nodesOf(name: string): Node[] {
  const icon = (nodes as unknown as Record<string, Node[] | undefined>)[name];
  if (!icon) throw new Error(`lucide has no icon ${name}.`);
  return icon;
}

const jsonOf = (icons: readonly (readonly [string, unknown])[]): string =>
  `${JSON.stringify(Object.fromEntries(icons), null, 2)}\n`;

/** Generates the contents of each icon's `svg`, so that pages inline only the icons that they show. */
export async function generateIcons(): Promise<Map<string, string>> {
  return new Map([
    [
      FILE,
      jsonOf(
        [...NAMES.map((name) => [name, nodesOf(name)] as const), ...SEALS].map(([name, content]) => [
          name,
          content.map(markupOf).join(''),
        ]),
      ),
    ],
    [REACT_FILE, jsonOf([...REACT_NAMES.map((name) => [name, nodesOf(name)] as const), ...SEALS])],
    ...MARK_FILES.map((file) => [file, MARK] as const),
  ]);
}
