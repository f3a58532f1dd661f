import { freePort } from '@svc/testkit';
import { readArguments, refuseWords } from './read-arguments.ts';
import { serveParts } from './ui/serve-parts.ts';

/** Another is taken when this one is in use. */
const PORT = 8790;

const USAGE = `usage: npm run ui

Serves a page with every token, icon and part of packages/ui, each with the texts that parts must bear.
`;

readArguments(USAGE, {}, refuseWords);
const { url } = await serveParts(await freePort(PORT));
process.stdout.write(`Every token and part of packages/ui: ${url}\n`);
