import { drawIconOf } from './markup.ts';
import { components } from './sections/components.ts';
import { elements } from './sections/elements.ts';
import { parts } from './sections/parts.ts';
import { footer, header, shell } from './sections/shell.ts';
import { icons, tokens } from './sections/tokens.ts';

/** The style sheets of every page, in order. */
export const STYLES = [
  'tokens.css',
  'base.css',
  'components.css',
  'parts.css',
  'widgets.css',
  'changes.css',
  'shell.css',
] as const;

/** Files that the page shows. */
export type PageAssets = {
  /** Content of `tokens.css`. */
  tokensCss: string;
  /** Contents of the `svg` of each icon, by name. */
  iconPaths: Readonly<Record<string, string>>;
};

/** Layout of the samples on this page. */
const OWN_STYLE = `
  .ui-part { margin: var(--space-5) 0; }
  .ui-part > h3 { margin: 0 0 var(--space-2); }
  section > h2 { margin: var(--space-7) 0 var(--space-3); font-size: var(--text-xl); }
  .ui-sample { display: inline-block; min-height: 1rem; background: var(--link); border: 1px solid var(--line); }
  .ui-light, .ui-dark { background: var(--back); }
  .ui-light { color-scheme: light; }
  .ui-dark { color-scheme: dark; }
  .ui-moves:hover { transition-property: transform; transform: translateX(1rem); }
  .ui-icons { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: var(--space-2); padding: 0; list-style: none; }
  .ui-letter { width: 56px; height: 56px; }
  .ui-stage { position: relative; contain: paint layout; min-height: 18rem; border: 1px dashed var(--line); border-radius: var(--radius-l); }`;

const FONT = `@font-face{font-family:"Inter Variable";font-weight:100 900;font-display:optional;src:url("/inter.woff2") format("woff2")}`;

/** The page with everything in `packages/ui`: tokens, icons, and components in their states. */
export function partsPage({ tokensCss, iconPaths }: PageAssets): string {
  const icon = drawIconOf(iconPaths);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parts of the pages</title>
<script src="/theme.js"></script>
<link rel="icon" type="image/svg+xml" href="/icon.svg">
${STYLES.map((name) => `<link rel="stylesheet" href="/${name}">`).join('\n')}
<style>${FONT}${OWN_STYLE}</style>
<script type="module" src="/shell.js"></script>
</head>
<body>
${header(icon)}
<main class="page" id="content">
<h1>Parts of the pages <code>packages/ui</code></h1>
<p class="soft">Every token and part. The menu at the upper right switches the theme.</p>
${tokens(tokensCss)}
${icons(Object.keys(iconPaths), icon)}
${elements(icon)}
${components(icon)}
${parts(icon)}
${shell()}
</main>
${footer}
</body>
</html>`;
}
