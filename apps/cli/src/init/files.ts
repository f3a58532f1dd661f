import { README_TEMPLATE } from '@svc/contracts/vocabulary';
import type { Answers } from './answers.ts';
import { iconSvg } from './icon.ts';
import { accentOf, manifestOf } from './manifest.ts';

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
