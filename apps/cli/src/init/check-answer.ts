import { validateManifest } from '@svc/validator';
import { type Answers, PLACES, type TextField } from './answers.ts';
import { manifestOf } from './manifest.ts';

/** Answers without a fault, so that what is found concerns the one that is looked at. */
const SOUND: Answers = {
  template: 'app',
  name: 'Notes',
  id: 'com.example.notes',
  publisher: 'example',
  description: 'Finds what you wrote down.',
  mcpUrl: 'https://mcp.example.com/mcp',
  category: 'other',
  account: 'oauth',
  panel: false,
  authorizeUrl: 'https://example.com/authorize',
  tokenUrl: 'https://example.com/token',
  clientId: 'notes',
};

/** What the store's checks say of one answer; undefined when they are content. Warnings count: a new app has none. */
export function problemWith(field: TextField, value: string): string | undefined {
  const manifest = manifestOf({ ...SOUND, [field]: value }, 'https://store.example.com');
  const place = PLACES[field];
  return validateManifest(manifest, { mode: 'store' }).find(
    ({ path }) => path === place || path.startsWith(`${place}/`),
  )?.message;
}
