#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still read it and say what is missing.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`svc needs Node 22.19 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache();
const { main } = await import('../src/main.ts');
await main();
