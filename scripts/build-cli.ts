import { packCli } from '../tools/release/pack-cli.ts';

await packCli();
