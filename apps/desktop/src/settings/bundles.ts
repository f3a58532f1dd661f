import { z } from 'zod';
import { GATEWAY_TOOLS } from '../gateway/meta-tools.ts';

/** What an agent reads of a tool instead of what its app says; null where it reads that. */
const ToolWords = z.strictObject({
  tool: z.string().max(200),
  /** Without `__`, which the names of all other tools have. */
  name: z
    .string()
    .refine(
      (name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name) && !name.includes('__'),
      'The name of a tool has 1 to 64 letters, digits, "-" and single "_".',
    )
    .refine((name) => !GATEWAY_TOOLS.includes(name), 'svc itself has a tool of this name.')
    .nullable(),
  title: z.string().trim().min(1).max(100).nullable(),
  description: z.string().trim().min(1).max(4_096).nullable(),
});
export type ToolWords = z.infer<typeof ToolWords>;

const BundledApp = z.strictObject({
  appId: z.string().max(200),
  /** Whether all of the app is offered, with its prompts, resources and panels; else the tools below alone. */
  whole: z.boolean(),
  tools: z.array(ToolWords).max(200),
});

const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** Apps and tools that are offered together, under a name, at an address of their own. */
export const Bundle = z
  .strictObject({
    name: z
      .string()
      .refine(
        (name) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(name),
        'The name of a bundle has 1 to 40 lowercase letters, digits and "-".',
      ),
    apps: z.array(BundledApp).max(100),
  })
  .refine(({ apps }) => apps.length > 0, 'Choose an app.')
  .refine(({ apps }) => isUnique(apps.map(({ appId }) => appId)), 'An app is there twice.')
  .refine(({ apps }) => apps.every(({ tools }) => isUnique(tools.map(({ tool }) => tool))), {
    message: 'A tool is there twice.',
  })
  .refine(({ apps }) => apps.every(({ whole, tools }) => whole || tools.length > 0), {
    message: 'Choose a tool of each app.',
  })
  .refine(({ apps }) => isUnique(apps.flatMap(({ tools }) => tools.flatMap(({ name }) => name ?? []))), {
    message: 'Two tools have the same name.',
  });
export type Bundle = z.infer<typeof Bundle>;

/** Most bundles of a desktop. */
export const MAX_BUNDLES = 50;

/** What a bundle offers, for `only` of a caller: nothing, if it is gone. */
export const offeredBy = (bundle: Bundle | undefined): Map<string, string[] | null> =>
  new Map(
    bundle?.apps.map(({ appId, whole, tools }) => [appId, whole ? null : tools.map(({ tool }) => tool)]),
  );

/** What a bundle says of a tool. */
export const wordsIn = (bundle: Bundle | undefined, appId: string, tool: string): ToolWords | undefined =>
  bundle?.apps.find((app) => app.appId === appId)?.tools.find((words) => words.tool === tool);
