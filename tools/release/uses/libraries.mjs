// Runs in a folder with one installed package: every entry loads with `import` and `require`, and has the same exports.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [name] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const manifest = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
const entries = Object.keys(manifest.exports).filter((entry) => !/\/main$|^\.\/programs\//.test(entry));
assert.ok(entries.length > 0);
for (const entry of entries) {
  const specifier = name + entry.slice(1);
  const imported = await import(specifier);
  assert.deepEqual(Object.keys(require(specifier)), Object.keys(imported), specifier);
}
