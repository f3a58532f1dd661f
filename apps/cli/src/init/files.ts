import { README_TEMPLATE } from '@svc/contracts/vocabulary';
import type { Answers } from './answers.ts';
import { accentOf, manifestOf } from './manifest.ts';

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

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const htmlText = (text: string): string => text.replace(/[&<>"]/g, (character) => NAMED[character] ?? '');

/** Text for a line of Markdown: on one line, with Markdown characters escaped. */
const markdownText = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|]/g, '\\$&');

const readme = ({ name, description }: Answers): string => `# ${markdownText(name)}

${markdownText(description)}

## How to start

${README_TEMPLATE}
`;

const changelog = (version: string): string => `# Changelog

## ${version}

The first version.
`;

const IGNORED = `# Files that are not packed into the bundle. Same syntax as .gitignore.
*.map
*.psd
*.sketch
`;

const page = ({ name }: Answers): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${htmlText(name)}</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem; }
    </style>
    <script src="app.js" defer></script>
  </head>
  <body>
    <h1>${htmlText(name)}</h1>
    <p id="status" role="status">Loading…</p>
  </body>
</html>
`;

const SCRIPT = `'use strict';

// A panel can connect only to the hosts in remote.domains of plugin.json.
const status = document.getElementById('status');
status.textContent = 'Ready.';
`;

/**
 * The files of a new app, by their paths in its folder.
 * @param store URL of the store, which serves the JSON Schema of the manifest
 */
export function appFiles(answers: Answers, store: string): ReadonlyMap<string, string> {
  const manifest = manifestOf(answers, store);
  return new Map([
    ['plugin.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['README.md', readme(answers)],
    ['CHANGELOG.md', changelog(String(manifest.version))],
    ['assets/icon.svg', iconSvg(answers.name, accentOf(answers.id))],
    ...(answers.panel
      ? ([
          ['ui/index.html', page(answers)],
          ['ui/app.js', SCRIPT],
        ] as const)
      : []),
    ['.svcignore', IGNORED],
  ]);
}
