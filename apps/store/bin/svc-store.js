#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still read it and say what is missing.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `svc-store needs Node 24 or newer; this is ${process.version}. In a clone of the project, run it as: npm start\n`,
  );
  process.exit(2);
}
const { join } = await import('node:path');
const { enableCompileCache, flushCompileCache } = await import('node:module');
// Beside the program, where only those may write who may write the program; without the right to, Node does without.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'));
await import('../src/main.ts');
// The program is open: what it needed is kept for the next start.
flushCompileCache();
