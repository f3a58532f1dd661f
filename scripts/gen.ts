import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateApiReport } from '../tools/gen/api-report.ts';
import { generateArchitecture } from '../tools/gen/architecture.ts';
import { generateCodes } from '../tools/gen/codes.ts';
import { generateCommands } from '../tools/gen/commands.ts';
import { generateConfusables } from '../tools/gen/confusables.ts';
import { generateFonts } from '../tools/gen/fonts.ts';
import { generateIcons } from '../tools/gen/icons.ts';
import { generateInterop } from '../tools/gen/interop.ts';
import { generateManifestStrings } from '../tools/gen/manifest-strings.ts';
import { generateNotice } from '../tools/gen/notice.ts';
import { generatePanelClient } from '../tools/gen/panel-client.ts';
import { generatePermissions } from '../tools/gen/permissions.ts';
import { generateRegexRecord } from '../tools/gen/regexes.ts';
import { generateSeals } from '../tools/gen/seals.ts';
import { generateSettings } from '../tools/gen/settings.ts';
import { generateUploadBounds } from '../tools/gen/upload-bounds.ts';

/** The generators. Each returns repository paths with their contents, and writes nothing. */
const GENERATORS: readonly (() => Promise<ReadonlyMap<string, string | Uint8Array>>)[] = [
  generateApiReport,
  generateArchitecture,
  generateCodes,
  generateCommands,
  generateConfusables,
  generateFonts,
  generateIcons,
  generateInterop,
  generateManifestStrings,
  generateNotice,
  generatePanelClient,
  generatePermissions,
  generateRegexRecord,
  generateSeals,
  generateSettings,
  generateUploadBounds,
];

/** Files that are all generated, so that a file which no generator returns is left from an earlier one. */
const ALL_GENERATED = {
  include: ['docs/codes/*', 'interop/*/*'],
  exclude: ['interop/*/README.md', 'interop/store/*', 'interop/log/foreign.go', 'interop/log/go.json'],
};

const ROOT = join(import.meta.dirname, '..');

async function generatedFiles(): Promise<Map<string, Buffer>> {
  const parts = await Promise.all(GENERATORS.map((generate) => generate()));
  return new Map(
    parts.flatMap((files) => [...files].map(([path, content]) => [path, Buffer.from(content)] as const)),
  );
}

/** The files under `root` that differ from the generated ones: to write, and to remove. */
export async function staleFiles(
  root: string,
  generated: ReadonlyMap<string, Buffer>,
): Promise<{ changed: string[]; left: string[] }> {
  const files = [...generated];
  const current = await Promise.all(files.map(([path]) => readFile(join(root, path)).catch(() => null)));
  const present = globSync(ALL_GENERATED.include, { cwd: root, exclude: ALL_GENERATED.exclude });
  return {
    changed: files.filter(([, content], i) => !current[i]?.equals(content)).map(([path]) => path),
    left: present.map((path) => path.replaceAll('\\', '/')).filter((path) => !generated.has(path)),
  };
}

async function main(check: boolean): Promise<void> {
  const generated = await generatedFiles();
  const { changed, left } = await staleFiles(ROOT, generated);
  if (check) {
    for (const path of [...changed, ...left]) process.stderr.write(`stale: ${path}\n`);
    if (changed.length + left.length === 0) return;
    process.stderr.write('Run npm run gen, and commit the changes.\n');
    process.exitCode = 1;
    return;
  }
  for (const path of left) await rm(join(ROOT, path));
  for (const path of changed) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), generated.get(path) as Buffer);
  }
  // Generators import generated sources: they see the new ones in a new process.
  const isStale = changed.some((path) => path.endsWith('.ts')) && !process.argv.includes('--again');
  if (isStale) execFileSync(process.execPath, [import.meta.filename, '--again'], { stdio: 'inherit' });
}

if (import.meta.main) await main(process.argv.includes('--check'));
