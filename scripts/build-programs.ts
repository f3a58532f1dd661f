import { bundleStore } from '../tools/release/bundle-store.ts';
import { packCli } from '../tools/release/pack-cli.ts';
import { packSystems } from '../tools/release/pack-systems.ts';

const [what, ...words] = process.argv.slice(2);

// The store serves the command line, and carries it.
const BUILDS: Record<string, () => Promise<unknown>> = {
  cli: () => packCli(),
  store: () => bundleStore(),
  systems: () => packSystems(words),
};
const build = BUILDS[what ?? ''];
if (!build) throw new Error(`Nothing is built by the name ${what}: use ${Object.keys(BUILDS).join(', ')}.`);
await build().catch((error: unknown) => {
  if (!(error instanceof RangeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
