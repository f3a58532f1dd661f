import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateArchitecture } from './gen/architecture.ts';
import { generateCodes } from './gen/codes.ts';
import { generateCommands } from './gen/commands.ts';
import { generateConfusables } from './gen/confusables.ts';
import { generateIcons } from './gen/icons.ts';
import { generateNotice } from './gen/notice.ts';
import { generatePanelClient } from './gen/panel-client.ts';
import { generatePermissions } from './gen/permissions.ts';
import { generateRegexRecord } from './gen/regexes.ts';
import { generateSettings } from './gen/settings.ts';
import { generateUploadBounds } from './gen/upload-bounds.ts';

/** The generators. Each returns repository paths with their contents, and writes nothing. */
const GENERATORS = [
  generateArchitecture,
  generateCodes,
  generateCommands,
  generateConfusables,
  generateIcons,
  generateNotice,
  generatePanelClient,
  generatePermissions,
  generateRegexRecord,
  generateSettings,
  generateUploadBounds,
];

const ROOT = join(import.meta.dirname, '..');

async function generatedFiles(): Promise<Map<string, string>> {
  const parts = await Promise.all(GENERATORS.map((generate) => generate()));
  return new Map(parts.flatMap((files) => [...files]));
}

/** The generated files that are missing or out of date. */
export async function staleFiles(): Promise<string[]> {
  const files = [...(await generatedFiles())];
  const current = await Promise.all(
    files.map(([path]) => readFile(join(ROOT, path), 'utf8').catch(() => null)),
  );
  return files.filter(([, content], i) => current[i] !== content).map(([path]) => path);
}

async function writeAll(): Promise<void> {
  for (const [path, content] of await generatedFiles()) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), content);
  }
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleFiles();
    for (const path of stale) process.stderr.write(`stale: ${path}\n`);
    if (stale.length > 0) process.stderr.write('Run npm run gen, and commit the changes.\n');
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    await writeAll();
  }
}
