import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { html } from 'hono/html';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { type DocsPage, docsPage } from '../../core/web/docs-page.ts';
import { FIXED_SECONDS, fixedPage } from '../../core/web/fixed.ts';
import { codeBlock, codeTabs } from '../../http/code-block.ts';
import type { Html } from '../../http/html.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { besides } from '../../http/shell.ts';
import { ApiError } from '../../platform/api-error.ts';

const BLOCK = 512;

/** The time that npm sets for every file of a package, so that the same files give the same archive. */
const TIME_S = Date.UTC(1985, 9, 26, 8, 15) / 1000;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** The ustar header of a regular file (POSIX.1-1988, tar interchange format). */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const put = (text: string, at: number) => block.write(text, at, 'latin1');
  put(name, 0);
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(TIME_S, 12), 136);
  // The checksum counts its own field as spaces.
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\0' + '00', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 7)} `, 148);
  return block;
}

/** The offset at which the files of an archive end and its closing blocks of zeros begin. */
function endOf(archive: Buffer): number {
  let at = 0;
  while (at + BLOCK <= archive.length && archive.subarray(at, at + BLOCK).some((byte) => byte !== 0)) {
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 136), 8);
    if (!Number.isSafeInteger(size)) throw new Error('The archive is corrupt.');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return at;
}

/** Adds a file to an archive. Its name has at most 100 ASCII characters. */
function withFile(archive: Buffer, name: string, content: Buffer): Buffer {
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  const closing = Buffer.alloc(2 * BLOCK);
  return Buffer.concat([
    archive.subarray(0, endOf(archive)),
    header(name, content.length),
    content,
    padding,
    closing,
  ]);
}

/** The command line as this store serves it: an npm package with its hashes. */
type ServedCli = {
  body: Uint8Array;
  version: string;
  /** As `sha256sum` prints it. */
  sha256: string;
  /** As npm writes it to a lock file (Subresource Integrity). */
  integrity: string;
};

/** The largest archive that is unpacked, in bytes. */
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;

const ENTRY = /"version": "(?<version>[^"]+)"/;

/** Reads the version from the package.json of an archive, in which each file is stored as plain text. */
function versionIn(archive: Buffer): string {
  const at = archive.indexOf('package/package.json\0', 0, 'latin1');
  const match = at < 0 ? null : ENTRY.exec(archive.toString('utf8', at + 512, at + 16 * 1024));
  if (!match?.groups?.version) throw new Error('The package of the command line has no version.');
  return match.groups.version;
}

/**
 * Reads the package of the command line, and adds the URL of this store to it as the default of `--store`.
 * @param file the tarball that `npm pack` created
 */
export async function readServedCli(file: string, baseUrl: string): Promise<ServedCli> {
  const archive = await promisify(gunzip)(await readFile(file), { maxOutputLength: MAX_ARCHIVE_BYTES });
  const store = Buffer.from(`${JSON.stringify({ store: baseUrl })}\n`);
  const body: Buffer = await promisify(gzip)(withFile(archive, 'package/store.json', store), { level: 9 });
  const hash = (name: string) => createHash(name).update(body);
  return {
    body,
    version: versionIn(archive),
    sha256: hash('sha256').digest('hex'),
    integrity: `sha512-${hash('sha512').digest('base64')}`,
  };
}

const PARTS = [
  ['client', 'Get a client'],
  ['publish', 'Publish and check apps'],
  ['verify', 'Verify the download'],
] as const;

const heading = ([id, title]: (typeof PARTS)[number]): Html => html`<h2 id="${id}">${title}</h2>`;

type PageDeps = Pick<Parts, 'baseUrl' | 'routeNames'>;

/** The page that says how to install the command line from this store, and how to verify the download. */
function cliPage(
  { baseUrl, routeNames }: PageDeps,
  { version, sha256, integrity, body }: ServedCli,
): DocsPage {
  const hasDocs = routeNames.has('docsPage');
  const more = (path: string, what: string) =>
    hasDocs ? html` <a href="${path}">More about ${what}</a>.` : '';
  return docsPage({
    title: 'The command line',
    crumbs: [...(hasDocs ? [['Documentation', '/docs'] as const] : []), ['The command line']],
    body: html`<main>
      <h1>The command line and the client</h1>
      <p><code>svc</code> installs apps in its own client, creates, checks, packs, publishes and verifies apps. This store serves it as one package without dependencies. You need Node 22.19 or newer.</p>
      ${heading(PARTS[0])}
      <p><code>svc desktop</code> is a chat client on your computer: it installs apps of this store, asks before they act, and calls them from a conversation or a coding agent. It needs Node 22.19 or newer, and opens in your browser.</p>
      ${codeBlock(`npx ${baseUrl}/cli.tgz desktop`)}
      <p>To keep it, and to let the “Install” buttons of this store open it:</p>
      ${codeBlock(`npm install --global ${baseUrl}/cli.tgz
svc links on --store ${baseUrl}
svc desktop --store ${baseUrl}`)}
      <p><code>svc links off</code> undoes the second line.${more('/docs/desktop', 'the client')}</p>
      ${heading(PARTS[1])}
      ${codeTabs('way', 'Sign in with', {
        npx: codeBlock(`npx ${baseUrl}/cli.tgz login`, 'sh'),
        npm: codeBlock(`npm install --global ${baseUrl}/cli.tgz\nsvc login`, 'sh'),
      })}
      <p>It uses this store, <code>${baseUrl}</code>, unless you name another one with <code>--store</code> or <code>SVC_STORE</code>.
      Where npm reaches no registry, add <code>--fetch-retries=0</code>: otherwise it looks for optional packages for minutes.${more('/docs/company#without-the-internet', 'companies')}</p>
      ${hasDocs ? html`<p><a class="button main" href="/docs/publishing">Publish an app</a></p>` : ''}
      ${heading(PARTS[2])}
      <p>Version <code>${version}</code>, ${Math.ceil(body.length / 1024)} KiB. The command downloads it and compares its SHA-256:</p>
      ${codeBlock(`curl -sSO ${baseUrl}/cli.tgz && echo '${sha256}  cli.tgz' | sha256sum -c`)}
      <p>npm writes this integrity to a lock file:</p>
      ${codeBlock(integrity)}
    </main>
    ${besides(
      PARTS.map(([id, title]) => [`#${id}`, title]),
      'On this page',
    )}`,
  });
}

export type CliDeps = PageDeps & {
  /** The package of the command line; null when it was not built. */ cliFile: string | null;
};

/** The download of the command line, and the page that says how to install it. */
export function cliRoutes(deps: CliDeps): HandlersOf<'cli'> {
  let served: Promise<ServedCli> | undefined;
  const cli = (): Promise<ServedCli> => {
    if (deps.cliFile === null)
      throw new ApiError(
        'not_found',
        'This store has no command line to download: its operator adds it with npm run build.',
      );
    served ??= readServedCli(deps.cliFile, deps.baseUrl);
    return served;
  };
  return {
    cliTarball: async (_request, c) => {
      const { body, sha256, version } = await cli();
      return sendCacheable(c, body, {
        'Content-Type': 'application/gzip',
        'Content-Length': String(body.length),
        'Content-Disposition': `attachment; filename="svc-cli-${version}.tgz"`,
        'Cache-Control': publicFor(FIXED_SECONDS),
        'X-Content-Type-Options': 'nosniff',
        ETag: `"${sha256}"`,
      });
    },
    cliPage: async (_request, c) => {
      const page = cliPage(deps, await cli());
      return fixedPage(() => page)(c);
    },
  };
}
