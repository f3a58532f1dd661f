import type { Resolver } from 'node:dns/promises';
import { Agent, request } from 'undici';
import type { FileAnswer } from '../../publishers/site.ts';
import { DNS_FAULTS } from './dns-faults.ts';
import { connectorTo, NotPublicError } from './public-connector.ts';

/** How long a website has to answer, from the question for its address to the last byte, in milliseconds. */
const MAX_MS = 5_000;
/** What is read of a file, in bytes. */
const MAX_BYTES = 4 * 1024;
/** What the header of an answer may have, in bytes. */
const MAX_HEADER = 8 * 1024;

export type SiteFileDeps = {
  /** Whom to ask for addresses. */
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** Whether an address may be connected to. */
  isAllowed(address: string): boolean;
  /** Where the port of https is, and which authorities are trusted: for tests, whose servers are not the Internet's. */
  port?: number;
  ca?: string;
};

const causes = (error: unknown): Error[] => {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 5; at = at.cause) found.push(at);
  return found;
};

/** Why a file could not be had. What the website itself said of it is not repeated. */
function fileFault(error: unknown): string {
  const all = causes(error);
  if (all.some((cause) => cause instanceof NotPublicError)) {
    return 'The host is not a name of the public Internet, and no other is asked';
  }
  const code =
    all.map((cause) => (cause as NodeJS.ErrnoException).code ?? '').find((known) => known !== '') ?? '';
  if (code in DNS_FAULTS) return DNS_FAULTS[code] as string;
  if (all.some(({ name }) => /Timeout|Abort/.test(name))) {
    return `The host did not answer whole within ${MAX_MS / 1000} seconds`;
  }
  if (/CERT|SIGNED|SSL|TLS|ISSUER/.test(code))
    return `The host has no certificate that can be trusted (${code})`;
  if (code === 'ECONNREFUSED') return 'The host refuses connections on port 443';
  return 'The host could not be reached, or did not answer as a web server does';
}

/** Reads a body up to its bound; null when there is more. */
async function textOf(body: AsyncIterable<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function readFile(agent: Agent, url: string): Promise<FileAnswer> {
  const { statusCode, body } = await request(url, {
    dispatcher: agent,
    headers: { accept: 'text/plain', 'accept-encoding': 'identity', 'user-agent': 'svc-store' },
    signal: AbortSignal.timeout(MAX_MS),
  });
  if (statusCode >= 300 && statusCode < 400) {
    return { fault: `It answers ${statusCode}, and redirects are not followed` };
  }
  if (statusCode !== 200) return { fault: `It answers ${statusCode}` };
  const text = await textOf(body);
  return text === null ? { fault: `It has more than ${MAX_BYTES} bytes` } : { text };
}

/**
 * Reads a file of a website. Its owner decides what its name leads to, so a connection is made to addresses that are allowed, and to
 * no other, whatever the name led to a moment ago.
 */
export async function readSiteFile(
  { resolver, isAllowed, port = 443, ca }: SiteFileDeps,
  host: string,
  path: string,
): Promise<FileAnswer> {
  const connect = connectorTo({
    resolver,
    isAllowed,
    port,
    timeoutMs: MAX_MS,
    ...(ca !== undefined && { ca }),
  });
  // One for each file: nothing of a website stays, neither its connection nor its TLS session.
  const agent = new Agent({ connect, maxHeaderSize: MAX_HEADER, maxResponseSize: -1 });
  try {
    return await readFile(agent, `https://${host}${path}`);
  } catch (error) {
    return { fault: fileFault(error) };
  } finally {
    await agent.destroy();
  }
}
