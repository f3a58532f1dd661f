import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { bundleDownload } from './bundle-download.ts';
import { catalogPage } from './catalog-page.ts';
import { coldAgainstAddonsLinter, coldAgainstMcpb } from './cli-validate.ts';
import { demo } from './demo.ts';
import { deviceMemory } from './device-memory.ts';
import { firstView } from './first-view.ts';
import { gateway } from './gateway.ts';
import { installing } from './install.ts';
import { holds, row } from './lib/figure.ts';
import { ROOT } from './lib/processes.ts';
import { libraryLoad } from './library.ts';
import { memory } from './memory.ts';
import { publish } from './publish.ts';
import { publishOnPostgres, publishOnSqlite } from './publish-under-load.ts';
import { queueScroll } from './queue-scroll.ts';
import { relayFlood } from './relay-flood.ts';
import { searchOnPostgres, searchOnSqlite } from './search.ts';
import { cliVersion, start } from './start.ts';
import { tokenCheck } from './token-check.ts';
import { toolCall } from './tool-call.ts';
import { uploadMemory } from './upload-memory.ts';
import { bundleCheck, manifestCheck } from './validate.ts';
import { againstVerdaccio } from './verdaccio.ts';

const FIGURES = {
  'catalog-page': catalogPage,
  'catalog-verdaccio': againstVerdaccio,
  'bundle-download': bundleDownload,
  publish,
  'publish-sqlite': publishOnSqlite,
  'publish-postgres': publishOnPostgres,
  'upload-memory': uploadMemory,
  'token-check': tokenCheck,
  'device-memory': deviceMemory,
  'relay-flood': relayFlood,
  'search-sqlite': searchOnSqlite,
  'search-postgres': searchOnPostgres,
  'first-view': firstView,
  'queue-scroll': queueScroll,
  start,
  'cli-version': cliVersion,
  'manifest-check': manifestCheck,
  'bundle-check': bundleCheck,
  'tool-call': toolCall,
  gateway,
  demo,
  memory,
  install: installing,
  library: libraryLoad,
  'cold-mcpb': coldAgainstMcpb,
  'cold-addons-linter': coldAgainstAddonsLinter,
};

const machine = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;

const HEAD = `# Results

Each figure is a ratio, or a difference, between two things measured in the same run, as machines are noisy. Made by

    npm run bench

on ${machine()}. \`npm run bench -- publish\` measures just that and writes nothing.

| figure | measured | value | bound | kept |
|---|---|---|---|---|
`;

const asked = process.argv.slice(2);
const rows: string[] = [];
for (const [name, measure] of Object.entries(FIGURES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const figure of [await measure()].flat()) {
    rows.push(row(figure));
    process.stdout.write(`${row(figure)}\n`);
    if (!holds(figure)) process.exitCode = 1;
  }
}
if (asked.length === 0) writeFileSync(join(ROOT, 'bench', 'RESULTS.md'), `${HEAD}${rows.join('\n')}\n`);
