// Loaded into each process of a test run (NODE_OPTIONS): reads one source from another file.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { SVC_MUTANT_OF: target, SVC_MUTANT: mutant } = process.env;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    return url === target ? { ...loaded, source: readFileSync(mutant, 'utf8') } : loaded;
  },
});
