import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deflateRawSync, deflateSync, inflateRawSync } from 'node:zlib';
import { packBundle, readBundle } from '@svc/bundle';
import { type Manifest, manifestJsonSchema } from '@svc/contracts';
import { pngChunk, sampleFiles, sampleManifest } from '@svc/testkit';
import { hasErrors, validateBundle, validateManifest } from '@svc/validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Figure } from './lib/figure.ts';
import { takeTurns, timed } from './lib/take-turns.ts';

const MANIFESTS_A_ROUND = 2_000;
const MIB = 2 ** 20;

const tool = (id: string): NonNullable<Manifest['contributes']['tools']>[number] => ({
  id,
  name: `Tool ${id}`,
  description:
    'Looks through what was written down and gives back what fits, with the place where it stands.',
  account: 'notes',
  files: { attachment: { accept: ['image/*'], maxBytes: 1_000_000 } },
});

/** What apps are like: six tools, an account, a panel, a few domains. */
const TYPICAL = sampleManifest({
  contributes: {
    tools: ['find', 'add', 'move', 'share', 'label', 'export_all'].map(tool),
    panels: [{ id: 'main', title: 'Notes', component: 'webview' }],
  },
  accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: ['read', 'write'] }],
  grants: ['files:receive'],
  remote: {
    mcpUrl: 'https://mcp.example.com/mcp',
    domains: ['api.example.com', '*.cdn.example.com', 'files.example.com'],
  },
  homepage: 'https://example.com/notes',
  support: 'mailto:help@example.com',
});

/** All checks of a manifest on one core, beside a compiled JSON Schema that checks its shape alone. */
export async function manifestCheck(): Promise<Figure> {
  const fits = new Ajv2020({ strictTypes: false }).compile(
    manifestJsonSchema('https://store.example.com/schema'),
  );
  if (!fits(TYPICAL) || hasErrors(validateManifest(TYPICAL, { mode: 'store' }))) {
    throw new Error('The typical manifest has a fault.');
  }
  const many = (work: () => unknown) =>
    timed(() => {
      for (let n = 0; n < MANIFESTS_A_ROUND; n += 1) work();
    });
  const sides = {
    ours: many(() => validateManifest(TYPICAL, { mode: 'store' })),
    floor: many(() => fits(TYPICAL)),
  };
  const { ours, floor } = takeTurns(sides, 25);
  const rate = (took: number) => Math.round((MANIFESTS_A_ROUND / took) * 1000);
  return {
    name: 'Full check of a typical manifest (six tools) on one core',
    measured: `${rate(ours)} manifests/s; ajv, compiled, its shape alone: ${rate(floor)} (${(ours / floor).toFixed(1)} times faster)`,
    value: rate(ours),
    unit: '/s',
    bound: { least: 20_000 },
  };
}

/** A PNG whose pixels are noise, about 3 bytes a pixel. */
function noisePng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const rows = Buffer.concat(
    Array.from({ length: side }, () => Buffer.concat([Buffer.alloc(1), randomBytes(side * 3)])),
  );
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND'),
  ]);
}

/** A bundle of about 5 MiB: three screenshots, 2.5 MB of real source as a panel's libraries are, and media. */
function fiveMebibytes(): Uint8Array {
  const require = createRequire(import.meta.url);
  const source = readFileSync(require.resolve('typescript'));
  const screenshots = ['assets/1.png', 'assets/2.png', 'assets/3.png'];
  const base = sampleManifest();
  const manifest = { ...base, branding: { ...base.branding, screenshots } };
  const files = sampleFiles(manifest, {
    'ui/vendor.js': source.subarray(0, 2_000_000),
    'ui/app.js': source.subarray(2_000_000, 2_500_000),
    'assets/intro.mp4': randomBytes(2_200_000),
    ...Object.fromEntries(screenshots.map((name) => [name, noisePng(512)])),
  });
  return packBundle(files);
}

/** Reading and checking a whole bundle, against inflating its files and hashing it. */
export async function bundleCheck(): Promise<Figure> {
  const bytes = fiveMebibytes();
  const reading = readBundle(bytes);
  if (!reading.ok) throw new Error('The bundle of the benchmark cannot be read.');
  const deflated = [...reading.entries.values()].map((entry) => deflateRawSync(entry));
  const check = () => {
    const again = readBundle(bytes);
    if (!again.ok || hasErrors(validateBundle(again.entries, { mode: 'store', size: bytes.length }).issues)) {
      throw new Error('The bundle of the benchmark has a fault.');
    }
  };
  const bare = () => {
    for (const one of deflated) inflateRawSync(one);
    createHash('sha256').update(bytes).digest();
  };
  const { ours, floor } = takeTurns({ ours: timed(check), floor: timed(bare) }, 30);
  return {
    name: `Reading and checking a bundle of ${(bytes.length / MIB).toFixed(1)} MiB against inflating its files and hashing it`,
    measured: `${ours.toFixed(1)} against ${floor.toFixed(1)} ms`,
    value: ours / floor,
    unit: ' times',
    bound: { most: 3 },
  };
}
