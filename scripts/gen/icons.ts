import nodes from 'lucide-static/icon-nodes.json' with { type: 'json' };

const FILE = 'packages/ui/static/icons.json';

/** The icons that pages use, by the names lucide gives them. */
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

const DESKTOP_FILE = 'apps/desktop/page/src/parts/icons.json';

/** The icons of the desktop's page, which draws them as elements of its own. */
const DESKTOP_NAMES = [
  'activity',
  'bot',
  'code-xml',
  'layout-grid',
  'menu',
  'message-circle',
  'panel-right',
  'plug',
  'refresh-cw',
  'settings',
  'store',
  'wrench',
] as const;

type Node = [tag: string, attributes: Record<string, string>];

const markupOf = ([tag, attributes]: Node): string =>
  `<${tag} ${Object.entries(attributes)
    .filter(([name]) => name !== 'key')
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')}/>`;

function nodesOf(name: string): Node[] {
  const found = (nodes as unknown as Record<string, Node[] | undefined>)[name];
  if (!found) throw new Error(`lucide has no icon ${name}.`);
  return found;
}

const jsonOf = (icons: readonly (readonly [string, unknown])[]): string =>
  `${JSON.stringify(Object.fromEntries(icons), null, 2)}\n`;

/** What stands inside the `svg` of each icon, so that pages hold the few icons they show and load nothing for them. */
export async function generateIcons(): Promise<Map<string, string>> {
  return new Map([
    [FILE, jsonOf(NAMES.map((name) => [name, nodesOf(name).map(markupOf).join('')]))],
    [DESKTOP_FILE, jsonOf(DESKTOP_NAMES.map((name) => [name, nodesOf(name)]))],
  ]);
}
