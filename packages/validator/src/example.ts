import type { BundleEntries } from '@svc/bundle';
import type { Issue } from '@svc/contracts';
import type { Example, FilesPatch, ManifestPatch, Mode, Padded, Sample } from './rule.ts';
import { validateBundle } from './validate.ts';

/** The smallest valid manifest of a store app. */
export const EXAMPLE_MANIFEST = {
  pluginApiVersion: 3,
  id: 'com.example.notes',
  name: 'Notes',
  version: '1.0.0',
  description: 'Finds what you wrote down.',
  permissions: ['Reads the notes you keep at example.com.'],
  contributes: {},
  publisher: 'example',
  categories: ['productivity'],
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com'] },
  branding: { icon: 'assets/icon.svg' },
} as const satisfies ManifestPatch;

/** The other files of the example bundle. */
const EXAMPLE_FILES: FilesPatch = {
  'README.md': '# Notes\n',
  'assets/icon.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path d="M0 0h512v512z"/></svg>\n',
  'ui/index.html': '<!doctype html>\n<title>Notes</title>\n',
};

/** Returns the entries of the example bundle with a sample applied. */
export function exampleEntries(sample: Sample): BundleEntries {
  const manifest = JSON.stringify({ ...EXAMPLE_MANIFEST, ...sample.manifest });
  const files = { 'plugin.json': manifest, ...EXAMPLE_FILES, ...sample.files };
  const entries = new Map<string, Uint8Array>();
  for (const [name, content] of Object.entries(files)) {
    if (content !== undefined) entries.set(name, bytesOf(content));
  }
  return entries;
}

function bytesOf(content: string | Uint8Array | Padded): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  if (content instanceof Uint8Array) return content;
  // Spaces do not change a text, and image readers stop before them.
  const bytes = new Uint8Array(content.bytes).fill(0x20);
  bytes.set(bytesOf(content.start));
  return bytes;
}

/** Validates an example bundle, in the mode of the example by default. */
export function exampleIssues(
  example: Example,
  which: 'broken' | 'fixed',
  mode: Mode = example.mode ?? 'store',
): Issue[] {
  const sample = example[which];
  const size = 'size' in sample ? { size: sample.size } : {};
  return validateBundle(exampleEntries(sample), {
    mode,
    ...size,
    served: sample.served,
    privateHosts: sample.privateHosts,
  }).issues;
}
