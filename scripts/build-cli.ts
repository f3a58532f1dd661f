import { packCli } from './release/pack-cli.ts';

await packCli();
