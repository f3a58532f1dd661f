import nodes from 'lucide-static/icon-nodes.json' with { type: 'json' };

const FILE = 'packages/ui/static/icons.json';

/** The icons that pages use, by their lucide names. */
const NAMES = [
  'arrow-right',
  'badge-check',
  'box',
  'briefcase-business',
  'chart-column',
  'check',
  'code-xml',
  'copy',
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
  'code-xml',
  'copy',
  'inbox',
  'layout-grid',
  'list-checks',
  'menu',
  'message-circle',
  'package-plus',
  'panel-left',
  'panel-right',
  'plug',
  'refresh-cw',
  'search-x',
  'settings',
  'square',
  'store',
  'upload',
  'users-round',
  'wrench',
] as const;

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
    [FILE, jsonOf(NAMES.map((name) => [name, nodesOf(name).map(markupOf).join('')]))],
    [REACT_FILE, jsonOf(REACT_NAMES.map((name) => [name, nodesOf(name)]))],
  ]);
}
