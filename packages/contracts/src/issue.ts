import { z } from 'zod';
import { named } from './named.ts';

/** One finding about a manifest, a bundle or a request. */
export const Issue = named.object('Issue', {
  code: z.string().describe('Stable code of the finding, such as `remote.url`.'),
  level: z
    .enum(['error', 'warning'])
    .describe('An error blocks publishing; a warning is shown to reviewers.'),
  path: z.string().describe('JSON Pointer into the manifest or request, or the name of a bundle entry.'),
  message: z.string().describe('What is wrong and what to write instead.'),
  docs: z.string().optional().describe('URL of the page about this code.'),
});
export type Issue = z.infer<typeof Issue>;
