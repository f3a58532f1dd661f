// Loaded into each process of a test run (NODE_OPTIONS): reads one source from another file, or writes what was executed.
import { readFileSync } from 'node:fs';
import { flushCompileCache, registerHooks } from 'node:module';
import { takeCoverage } from 'node:v8';

const { SVC_MUTANT_OF: target, SVC_MUTANT: mutant } = process.env;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    return url === target ? { ...loaded, source: readFileSync(mutant, 'utf8') } : loaded;
  },
});

// Vitest ends its workers by a signal, after which Node would write neither coverage nor its compile cache.
if (process.send) {
  process.on('SIGTERM', () => {
    if (process.env.NODE_V8_COVERAGE) takeCoverage();
    else flushCompileCache();
    process.exit();
  });
}
