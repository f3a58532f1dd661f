import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import { packBundle } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import { pngChunk, sampleFiles, sampleManifest } from '@svc/testkit';

const tool = (id: string): NonNullable<Manifest['contributes']['tools']>[number] => ({
  id,
  name: `Tool ${id}`,
  description:
    'Looks through what was written down and gives back what fits, with the place where it stands.',
  account: 'notes',
  files: { attachment: { accept: ['image/*'], maxBytes: 1_000_000 } },
});

/** A typical manifest: six tools, an account, a panel, a few domains. */
export const TYPICAL = sampleManifest({
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
export function fiveMebibytes(): Uint8Array {
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
