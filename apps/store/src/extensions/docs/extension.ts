import type { Extension } from '../../core/access/extension.ts';
import { type DocsDeps, docsRoutes } from './routes.ts';

/** The documentation that a store serves: the documents, the reference of the API, and the validation codes. */
export const docs: Extension<Omit<DocsDeps, 'openDocs'>> = {
  name: 'docs',
  open: (parts) => ({
    // The library that renders documents is loaded with the first of them.
    routes: docsRoutes({ ...parts, openDocs: async () => (await import('./site/read-docs.ts')).ownDocs() }),
    additions: {
      llms: (baseUrl) => ({
        clients: `[Write a client](${baseUrl}/docs/client): keys, signatures, revocations, heads`,
        publishers: [
          `[Publish an app](${baseUrl}/docs/publishing)`,
          `[Codes](${baseUrl}/docs/codes): every finding of the checks`,
        ],
      }),
    },
  }),
};
