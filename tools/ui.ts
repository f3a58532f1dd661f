import { freePort } from '@svc/testkit';
import { readArguments, refuseWords } from './lib/read-arguments.ts';
import { serveParts } from './ui/serve-parts.ts';

/** Preferred port; another one is used when it is taken. */
const PORT = 8790;

const USAGE = `usage: npm run ui

Serves a page with every token, icon and component of packages/ui, with extreme texts.
`;

readArguments(USAGE, {}, refuseWords);
const { url } = await serveParts(await freePort(PORT));
process.stdout.write(`Every token and part of packages/ui: ${url}\n`);
