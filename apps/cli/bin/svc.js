#!/usr/bin/env node
// Plain JavaScript: a Node that is too old for the TypeScript sources can still run this file and report it.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`svc needs Node 22.19 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
const { existsSync, statSync } = await import('node:fs');
const { enableCompileCache } = await import('node:module');
const { homedir } = await import('node:os');
const { dirname, join } = await import('node:path');

/** The user's cache folder. */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }) {
  if (process.platform === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return XDG_CACHE_HOME || join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/**
 * Enables Node's compile cache for this program. The cache holds code, so a folder that belongs to another user is not used; Node's
 * default, in the folder for temporary files, could belong to another user.
 */
function enableCache() {
  const folder = join(cacheFolder(process.env), 'svc', 'compiled');
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  if (!process.getuid || statSync(existing).uid === process.getuid()) enableCompileCache(folder);
}

enableCache();
const { main } = await import('../src/main.ts');
await main();
