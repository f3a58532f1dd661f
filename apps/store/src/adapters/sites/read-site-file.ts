import type { Resolver } from 'node:dns/promises';
import { Agent, request } from 'undici';
import type { FileAnswer } from '../../features/publishers/site.ts';
import { DNS_FAULTS } from './dns-faults.ts';
import { connectorTo, NotPublicError } from './public-connector.ts';

/** Timeout of a website, from the DNS query to the last byte, in milliseconds. */
const MAX_MS = 5_000;
/** Maximum size of a file, in bytes. */
const MAX_BYTES = 4 * 1024;
/** Maximum size of the response headers, in bytes. */
const MAX_HEADER = 8 * 1024;

export type SiteFileDeps = {
  /** The DNS resolver. */
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** Whether a connection to an address is allowed. */
  isAllowed(address: string): boolean;
  /** Port of https and trusted authorities, for the servers of tests. */
  port?: number;
  ca?: string;
};

const causes = (error: unknown): Error[] => {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 5; at = at.cause) found.push(at);
  return found;
};

/** Why a file could not be read. Does not repeat text from the website. */
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

/** Reads a body up to its limit; null when it is longer. */
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
 * Reads a file of a website. The owner of a website controls its DNS records, so every connection checks the resolved addresses, and
 * only connects to allowed ones.
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
  // A new agent for each file: no connection or TLS session of a website is reused.
  const agent = new Agent({ connect, maxHeaderSize: MAX_HEADER, maxResponseSize: -1 });
  try {
    return await readFile(agent, `https://${host}${path}`);
  } catch (error) {
    return { fault: fileFault(error) };
  } finally {
    await agent.destroy();
  }
}
