import { validateManifest } from '@svc/validator';
import { type Answers, POINTERS, type TextField } from './answers.ts';
import { manifestOf } from './manifest.ts';

/** Valid answers, so that a finding concerns only the answer under test. */
const VALID_ANSWERS: Answers = {
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

/** The message of the first finding about an answer, warnings included; undefined when it is valid. */
export function problemWith(field: TextField, value: string): string | undefined {
  const manifest = manifestOf({ ...VALID_ANSWERS, [field]: value }, 'https://store.example.com');
  const pointer = POINTERS[field];
  return validateManifest(manifest, { mode: 'store' }).find(
    ({ path }) => path === pointer || path.startsWith(`${pointer}/`),
  )?.message;
}
