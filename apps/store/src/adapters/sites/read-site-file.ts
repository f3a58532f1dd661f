import type { Resolver } from 'node:dns/promises';
import { causesOf } from '@svc/contracts/causes';
import { isLocalNetworkAddress, type MayReach } from '@svc/contracts/public-address';
import { Agent, request } from 'undici';
import type { FileAnswer, FileOptions, PostAnswer } from '../../core/publishers/site.ts';
import { DNS_FAULTS } from './addresses.ts';
import { connectorTo, NotPublicError } from './public-connector.ts';

/** Timeout of a receiver of webhooks (Standard Webhooks, "Request timeout": 15 to 30 seconds; others wait meanwhile), in milliseconds. */
const POST_MS = 10_000;
/** Timeout of a website, from the DNS query to the last byte, in milliseconds. */
const MAX_MS = 5_000;
/** Maximum size of a file, in bytes. */
const MAX_BYTES = 4 * 1024;
/** Maximum size of the response headers, in bytes. */
const MAX_HEADER = 8 * 1024;

export type SiteFileDeps = {
  /** The DNS resolver. */
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** Whether a connection to an address of a host is allowed. */
  isAllowed: MayReach;
  /** Port of https and trusted authorities, for the servers of tests. */
  port?: number;
  ca?: string;
};

/** Why a file could not be read. Does not repeat text from the website. */
function fileFault(error: unknown, maxMs = MAX_MS): string {
  const all = causesOf(error);
  if (all.some((cause) => cause instanceof NotPublicError)) {
    return 'The host is not a name of the public Internet, and no other is asked';
  }
  const code = String(all.find((cause) => cause.code)?.code ?? '');
  if (code in DNS_FAULTS) return DNS_FAULTS[code] as string;
  if (all.some(({ name }) => /Timeout|Abort/.test(name))) {
    return `The host did not answer whole within ${maxMs / 1000} seconds`;
  }
  if (/CERT|SIGNED|SSL|TLS|ISSUER/.test(code))
    return `The host has no certificate that can be trusted (${code})`;
  if (code === 'ECONNREFUSED') return 'The host refuses connections on port 443';
  return 'The host could not be reached, or did not answer as a web server does';
}

/** Reads a body up to its limit; null when it is longer. */
async function textOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function readFile(agent: Agent, url: string, maxBytes: number): Promise<FileAnswer> {
  const { statusCode, body } = await request(url, {
    dispatcher: agent,
    headers: {
      accept: 'text/plain, application/json',
      'accept-encoding': 'identity',
      'user-agent': 'svc-store',
    },
    signal: AbortSignal.timeout(MAX_MS),
  });
  if (statusCode >= 300 && statusCode < 400) {
    return { fault: `It answers ${statusCode}, and redirects are not followed` };
  }
  if (statusCode !== 200) return { fault: `It answers ${statusCode}` };
  const text = await textOf(body, maxBytes);
  return text === null ? { fault: `It has more than ${maxBytes} bytes` } : { text };
}

/** A new agent for each request: no connection or TLS session of a website is reused. */
const agentTo = ({ port = 443, ...deps }: SiteFileDeps, timeoutMs = MAX_MS): Agent =>
  new Agent({
    connect: connectorTo({ ...deps, port, timeoutMs }),
    maxHeaderSize: MAX_HEADER,
    maxResponseSize: -1,
  });

/**
 * Reads a file of a website. The owner of a website controls its DNS records, so every connection checks the resolved addresses, and
 * only connects to allowed ones.
 */
export async function readSiteFile(
  { resolver, isAllowed, port = 443, ca }: SiteFileDeps,
  host: string,
  path: string,
  { maxBytes = MAX_BYTES, isLocal = false }: FileOptions = {},
): Promise<FileAnswer> {
  const agent = agentTo({
    resolver,
    isAllowed: (address, name) => isAllowed(address, name) || (isLocal && isLocalNetworkAddress(address)),
    port: Number(URL.parse(`https://${host}`)?.port) || port,
    ...(ca !== undefined && { ca }),
  });
  try {
    return await readFile(agent, `https://${host}${path}`, maxBytes);
  } catch (error) {
    return { fault: fileFault(error) };
  } finally {
    await agent.destroy();
  }
}

/**
 * Posts a text to an address that a publisher chose, over the same guarded connections. Redirects are not followed, and nothing of the
 * answer is read but its status.
 */
export async function postToSite(
  deps: SiteFileDeps,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<PostAnswer> {
  const agent = agentTo(deps, POST_MS);
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: { ...headers, 'user-agent': 'svc-store' },
      body,
      signal: AbortSignal.timeout(POST_MS),
    });
    answer.body.on('error', () => {}).destroy();
    return { status: answer.statusCode };
  } catch (error) {
    return { fault: fileFault(error, POST_MS) };
  } finally {
    await agent.destroy();
  }
}
