#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still read it and say what is missing.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `svc-store needs Node 24 or newer; this is ${process.version}. In a clone of the project, run it as: npm start\n`,
  );
  process.exit(2);
}
const { existsSync, statSync } = await import('node:fs');
const { constants, enableCompileCache, flushCompileCache } = await import('node:module');
const { dirname, join } = await import('node:path');

/**
 * Has Node keep what it compiles of the program, beside the program, and its threads and processes use it. It is code: a folder that
 * belongs to another user than runs this is not used. Where NODE_COMPILE_CACHE names a folder, Node uses that.
 */
function keepCompiled() {
  const folder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled');
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  if (process.getuid && statSync(there).uid !== process.getuid()) return;
  const { status } = enableCompileCache(folder);
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = folder;
}

keepCompiled();
await import('../src/main.ts');
// The program is open: what it needed is kept for the next start.
flushCompileCache();
