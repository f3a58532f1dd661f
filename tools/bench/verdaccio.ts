import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@svc/testkit';
import { install, whilePeerServes } from '../lib/peer.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, publishApps, whileStoreRuns } from './lib/processes.ts';
import { compareRequests } from './lib/requests-per-second.ts';

const VERDACCIO = 'verdaccio@6';
const APPS = 100;
const PACKAGE = 'notes';

/** A registry of its own packages alone, to which anybody may publish, and which writes no log. */
const CONFIG = `
storage: ./storage
packages:
  '**': { access: $all, publish: $all }
web: { enable: false }
log: { type: stdout, format: json, level: error }
`;

/** Nobody looks into it. */
const TARBALL = Buffer.from('x');

/** What a dependency takes in JSON, with its name, in bytes. */
const DEPENDENCY_BYTES = 27;

/** A package as npm publishes it, with dependencies that make its metadata about as large as a page of the catalogue. */
function publication(bytes: number) {
  const names = Array.from({ length: bytes / DEPENDENCY_BYTES }, (_, n) => `dependency-${n}`);
  const dependencies = Object.fromEntries(names.map((name) => [name, '^1.0.0']));
  const shasum = createHash('sha1').update(TARBALL).digest('hex');
  const dist = { shasum, tarball: 'http://127.0.0.1/notes-1.0.0.tgz' };
  const version = { name: PACKAGE, version: '1.0.0', dependencies, dist };
  return {
    _id: PACKAGE,
    name: PACKAGE,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': version },
    _attachments: {
      [`${PACKAGE}-1.0.0.tgz`]: {
        content_type: 'application/octet-stream',
        data: TARBALL.toString('base64'),
        length: 1,
      },
    },
  };
}

async function publish(registry: string, bytes: number): Promise<number> {
  const url = `${registry}/${PACKAGE}`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(publication(bytes)) });
  if (!answer.ok) throw new Error(`verdaccio answered ${answer.status}: ${await answer.text()}`);
  return (await (await fetch(url)).arrayBuffer()).byteLength;
}

const kib = (bytes: number): number => Math.round(bytes / 1024);

/** A cached page of 100 apps, against the metadata of a package of about as many bytes from a private npm registry. */
export const againstVerdaccio = (): Promise<Figure> =>
  inTempFolder(async (folder) => {
    // One of those it asks for cannot be had everywhere.
    install(folder, VERDACCIO, { 'node-fetch': '2.7.0' });
    mkdirSync(join(folder, 'storage'));
    writeFileSync(join(folder, 'config.yaml'), CONFIG);
    const registry = `http://127.0.0.1:${await freePort()}`;
    const program = join(folder, 'node_modules/verdaccio/bin/verdaccio');
    const args = [program, '--config', join(folder, 'config.yaml'), '--listen', registry];
    return whileStoreRuns(join(folder, 'data'), async ({ url: store }) => {
      await publishApps(store, APPS);
      const page = `${store}/api/apps/catalog`;
      const bytes = (await (await fetch(page)).arrayBuffer()).byteLength;
      return whilePeerServes(process.execPath, args, `${registry}/-/ping`, async () => {
        const theirs = await publish(registry, bytes);
        const { ours, floor, ratio } = await compareRequests({ ours: page, floor: `${registry}/${PACKAGE}` });
        return {
          name: `Cached catalogue page of ${APPS} apps (${kib(bytes)} KiB) against a package's metadata (${kib(theirs)} KiB) from ${VERDACCIO}`,
          measured: `${Math.round(ours)} against ${Math.round(floor)} requests/s`,
          value: ratio,
          unit: ' times',
          bound: { least: 2 },
        };
      });
    });
  });
