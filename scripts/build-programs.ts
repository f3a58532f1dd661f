import { bundleStore } from '../tools/release/bundle-store.ts';
import { packCli } from '../tools/release/pack-cli.ts';

// The store serves the command line, and carries it.
await (process.argv[2] === 'cli' ? packCli() : bundleStore());
