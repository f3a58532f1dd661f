import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import ts from 'typescript';
import type { InstalledApp } from '../../src/index.ts';

/** An installed app with one panel and one account. */
export function panelApp(changes: Partial<Manifest> = {}): InstalledApp {
  const manifest = sampleManifest({
    id: 'com.example.notes',
    contributes: {
      panels: [
        {
          id: 'main',
          title: 'Notes <&">',
          component: 'webview',
          views: [
            { id: 'all', label: 'All' },
            { id: 'new', label: 'New' },
          ],
        },
      ],
    },
    accounts: [
      {
        id: 'notes',
        label: 'Notes account',
        authorizeUrl: 'https://auth.example.test/authorize',
        tokenUrl: 'https://auth.example.test/token',
        clientId: 'client',
        scopes: ['read'],
      },
    ],
    grants: ['files:receive', 'host:media'],
    remote: { mcpUrl: 'https://mcp.example.test/mcp', domains: ['api.example.test', '*.cdn.test'] },
    ...changes,
  });
  return {
    appId: manifest.id,
    version: manifest.version,
    manifest,
    consent: footprintOf(manifest),
    source: {
      kind: 'store',
      store: 'https://store.test',
      sha256: manifest.id.padEnd(64, '0'),
      publishedAt: '2026-01-01T00:00:00.000Z',
      keyId: 'key',
    },
    on: true,
    yanked: null,
  };
}

const SOURCE = join(import.meta.dirname, '../../src');

/** A source file as a browser runs it. */
export const forBrowser = (file: string): string =>
  ts.transpileModule(readFileSync(join(SOURCE, file), 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;

/** Files of a bundle, from text. */
export const bundleOf = (files: Record<string, string>): Map<string, Uint8Array> =>
  new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));

/** A page that loads one script, and the client library of panels for that script. */
export const panelFiles = (script: string, files: Record<string, string> = {}): Map<string, Uint8Array> =>
  bundleOf({
    'ui/index.html': '<!doctype html><title>panel</title><script type="module" src="panel.js"></script>',
    'ui/panel.js': script,
    'ui/connect-panel.js': forBrowser('panels/client/connect-panel.ts'),
    ...files,
  });
