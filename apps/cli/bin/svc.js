#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still read it and say what is missing.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`svc needs Node 22.19 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
const { existsSync, statSync } = await import('node:fs');
const { enableCompileCache } = await import('node:module');
const { homedir } = await import('node:os');
const { dirname, join } = await import('node:path');

/** The folder of a user for what programs can make again. */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }) {
  if (process.platform === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return XDG_CACHE_HOME || join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/**
 * Has Node keep what it compiles of this program. It is code: a folder that belongs to another user than runs this is not used, and
 * Node's own choice, in the folder for temporary files, may be another user's.
 */
function keepCompiled() {
  const folder = join(cacheFolder(process.env), 'svc', 'compiled');
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  if (!process.getuid || statSync(there).uid === process.getuid()) enableCompileCache(folder);
}

keepCompiled();
const { main } = await import('../src/main.ts');
await main();
