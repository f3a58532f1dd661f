import { z } from 'zod';
import { viewOf } from './app-view.ts';
import { AppId, type CallsOf, FolderPath, Nothing, type PageParts } from './page-call.ts';

/** Bounds a command. The runtime validates it. */
const Text = z.string().max(10_000);
const Command = z.strictObject({
  command: Text,
  args: z.exactOptional(z.array(Text).max(200)),
  folder: z.exactOptional(Text),
  variables: z.exactOptional(z.array(Text).max(200)),
  name: z.exactOptional(Text),
});

const Choices = z.strictObject({
  media: z.exactOptional(z.boolean()),
  questions: z.exactOptional(z.boolean()),
  sampling: z.exactOptional(z.boolean()),
  roots: z.exactOptional(z.boolean()),
});

const OneFolder = z.strictObject({ folder: FolderPath });

/** Apps that are not from a store: connectors, and folders under development. */
export function sourceCalls({
  desktop: { runtime, settings },
  folders,
}: PageParts): CallsOf<'connectors' | 'folders'> {
  return {
    'connectors.add': {
      input: z.strictObject({ url: z.string().max(2_000) }),
      async answer({ url }, { signal }) {
        return { app: viewOf(runtime.library, await runtime.addConnector(url, signal)) };
      },
    },
    'connectors.addLocal': {
      input: z.union([z.strictObject({ url: Text }), Command]),
      async answer(request, { signal }) {
        return { app: viewOf(runtime.library, await runtime.addLocalConnector(request, signal)) };
      },
    },
    'connectors.allowLocal': {
      input: z.strictObject({ on: z.boolean() }),
      answer: ({ on }) => settings.allowLocalConnectors(on),
    },
    'connectors.choices': {
      input: z.strictObject({ appId: AppId }),
      answer: ({ appId }) => runtime.connectors.choices(appId),
    },
    'connectors.choose': {
      input: z.strictObject({ appId: AppId, choices: Choices }),
      answer: ({ appId, choices }) => runtime.connectors.choose(appId, choices),
    },
    'folders.list': { input: Nothing, answer: () => ({ folders: folders.list() }) },
    'folders.open': {
      input: OneFolder,
      answer: async ({ folder }) => ({ folder: await folders.open(folder) }),
    },
    'folders.close': {
      input: OneFolder,
      answer: ({ folder }) => folders.close(folder),
    },
  };
}
