#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still read it and say what is missing.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `svc needs Node 24 or newer; this is ${process.version}. In a clone of the project, run it as: npx svc\n`,
  );
  process.exit(2);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache();
const { main } = await import('../src/main.ts');
await main();
