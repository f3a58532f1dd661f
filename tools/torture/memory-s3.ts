import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { S3Server } from '@svc/testkit';

const BUCKET = 'apps';

type Held = { body: Buffer; keptAt: Date };

function list(objects: ReadonlyMap<string, Held>, query: URLSearchParams): string {
  const maxKeys = Number(query.get('max-keys') ?? 1000);
  const all = [...objects.keys()]
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > (query.get('start-after') ?? ''))
    .sort();
  const page = all
    .slice(0, maxKeys)
    .map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`);
  return `<ListBucketResult><IsTruncated>${all.length > maxKeys}</IsTruncated>${page.join('')}</ListBucketResult>`;
}

/** Accepts only complete bodies, as S3 does with a signed hash. */
function put(objects: Map<string, Held>, key: string, body: Buffer, request: IncomingMessage): number {
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (request.headers['x-amz-content-sha256'] !== sha256) return 400;
  objects.set(key, { body, keptAt: new Date() });
  return 200;
}

async function answer(objects: Map<string, Held>, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://s3');
  const key = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length));
  if (request.method === 'PUT') {
    const body = await buffer(request);
    return response.writeHead(key ? put(objects, key, body, request) : 200).end();
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return response.writeHead(204).end();
  }
  if (key === '') return response.end(list(objects, url.searchParams));
  const held = objects.get(key);
  if (!held) return response.writeHead(404).end();
  response.setHeader('content-length', held.body.byteLength);
  response.setHeader('last-modified', held.keptAt.toUTCString());
  return response.end(request.method === 'HEAD' ? undefined : held.body);
}

/**
 * An in-memory S3 server with the subset that the store uses: for machines without a real one, and for thousands of fast requests.
 * It checks no signature; the tests of the adapter cover real S3 servers.
 */
export async function startMemoryS3(): Promise<S3Server> {
  const objects = new Map<string, Held>();
  const server = createServer((request, response) => {
    answer(objects, request, response).catch(() => response.destroy());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as { port: number };
  const pause = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'apps',
    accessKeyId: 'torture',
    secretAccessKey: 'torture',
    pause,
    resume: () => listen(port),
    stop: pause,
  };
}
