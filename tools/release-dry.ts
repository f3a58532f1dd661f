import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from './lib/read-arguments.ts';
import { faultsOf } from './release/check-tarball.ts';
import { installAlone } from './release/install-alone.ts';
import { packTarball } from './release/pack-tarball.ts';
import { runProgram } from './release/run-program.ts';
import { isBundled, readTargets, type Target } from './release/targets.ts';
import { installNode, tryPackage } from './release/try-package.ts';
import { SBOM_FILE } from './release/write-notices.ts';

const USAGE = `usage: npm run release:dry [-- [--keep FOLDER] [PACKAGE...]]

Runs all steps of a release except publishing: packs the output of \`npm run build\`, lints the tarballs, installs each one alone in
an empty folder outside the repository, and uses it. --keep FOLDER keeps the tarballs and their SBOMs. PACKAGE limits the run to
these packages.
`;

const { values, positionals } = readArguments(USAGE, { keep: { type: 'string' } }, (parsed) => parsed);
const say = (line: string) => process.stdout.write(`${line}\n`);

/** The oldest Node that libraries, command line and desktop support; the store needs the project's version. */
const OLDEST_NODE = '22';

/** The CycloneDX SBOM of an installed package; a bundled package includes the SBOM of its contents. */
async function sbomOf(target: Target, folder: string): Promise<string> {
  const installed = JSON.parse(runProgram('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: folder }));
  if (!isBundled(target)) return JSON.stringify(installed, null, 2);
  const file = join(folder, 'node_modules', target.manifest.name, SBOM_FILE);
  const inside = JSON.parse(await readFile(file, 'utf8'));
  const components = [...inside.components, ...installed.components];
  return JSON.stringify({ ...inside, components }, null, 2);
}

async function folderSize(folder: string): Promise<number> {
  const kilobytes = runProgram('du', ['-sk', join(folder, 'node_modules')], { cwd: folder });
  return Number.parseInt(kilobytes, 10) / 1024;
}

/** Time of `--version` in milliseconds: the best of five. */
function coldStart({ manifest }: Target, folder: string): string {
  const [program] = Object.values((manifest.bin ?? {}) as Record<string, string>);
  if (program === undefined) return '–';
  const file = join(folder, 'node_modules', manifest.name, program);
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    runProgram(process.execPath, [file, '--version'], { cwd: folder });
    return performance.now() - begun;
  });
  return `${Math.round(Math.min(...times))} ms`;
}

async function tryTarget(target: Target, out: string, work: string, oldest: string): Promise<string> {
  const { name, engines } = target.manifest;
  const tarball = packTarball(target, out);
  const faults = await faultsOf(tarball);
  if (faults.length > 0) throw new Error(`${name}:\n${faults.join('\n')}`);
  const folder = join(work, name.replace('@svc/', ''));
  const installed = await installAlone(target, tarball, folder);
  await writeFile(tarball.replace(/\.tgz$/, '.cdx.json'), await sbomOf(target, folder));
  const nodes = engines?.node === '>=24' ? [process.execPath] : [process.execPath, oldest];
  for (const node of nodes) await tryPackage(installed, node);
  const { size } = await stat(tarball);
  const mib = (await folderSize(folder)).toFixed(1);
  return `| ${name} | ${Math.round(size / 1024)} KiB | ${mib} MiB | ${coldStart(target, folder)} |`;
}

const work = await mkdtemp(join(tmpdir(), 'svc-release-'));
try {
  const out = values.keep ?? join(work, 'tarballs');
  await mkdir(out, { recursive: true });
  const oldest = await installNode(OLDEST_NODE, join(work, 'node'));
  say('| package | tarball | installed | cold start |\n|---|---|---|---|');
  const targets = (await readTargets()).filter(
    ({ manifest }) => positionals.length === 0 || positionals.includes(manifest.name),
  );
  for (const target of targets) say(await tryTarget(target, out, work, oldest));
} finally {
  await rm(work, { recursive: true, force: true });
}
