import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { guarded } from '@svc/contracts/guarded';
import { AwsV4Signer } from 'aws4fetch';
import type { ByteRange } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { S3Address } from './s3-address.ts';

/** Size of a page of 1,000 keys of the maximum length, 1,024 bytes, with their markup. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a whole response as text. @throws when it is longer than a number of bytes */
export const readUpTo =
  (limit: number) =>
  async (response: Response): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > limit) throw new Error('an answer that is too long');
    }
    return text + decoder.decode();
  };

/** Reads a whole short response. @throws when it is longer than any response of S3 itself */
export const readText = readUpTo(MAX_BYTES);

/** The texts of all elements with a name. Only for values without markup or entities, such as keys that are requested URL-encoded. */
export const xmlValues = (text: string, name: string): string[] =>
  Array.from(text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, value]) => value ?? '');

/** The text of the first element with a name. */
export const xmlValue = (text: string, name: string): string | undefined => xmlValues(text, name)[0];

export type S3Settings = S3Address & { accessKeyId: string; secretAccessKey: string };

/** The timeouts of requests to S3. */
export type Timeouts = {
  /** Maximum milliseconds of one attempt, and between two chunks of a download. */
  answerMs: number;
  /** Milliseconds after which no further attempt starts. */
  deadlineMs: number;
  /** Milliseconds before the second attempt; four times as many before the third. */
  pauseMs: number;
};

/** Enough for a bundle of 25 MiB in one attempt at 1 MB/s. */
export const TIMEOUTS: Timeouts = { answerMs: 30_000, deadlineMs: 60_000, pauseMs: 200 };

const MAX_ATTEMPTS = 3;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** A request to S3, with retries. */
export type Ask = {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Key within the bucket; empty for the bucket itself. */
  key: string;
  query?: Record<string, string>;
  /** Requests only these bytes. */
  part?: ByteRange;
  /** The body: its hash, its length in bytes, and a function that opens it again for each attempt. */
  content?: {
    sha256: string;
    size: number;
    open(): NonNullable<RequestInit['body']>;
    /** The media type with which it is served, and how long caches keep it; default: none that a browser reads, and nothing. */
    type?: string;
    cache?: string;
  };
  /** Expected statuses. All others are errors. */
  accept: readonly number[];
};

/** Reads a response. The controller aborts the remainder of it. */
export type ReadAnswer<T> = (response: Response, controller: AbortController) => T | Promise<T>;

/** A failure that a retry may fix. */
class TransientS3Error extends Error {}

/** What an operator should check when S3 refuses a request. */
function adviceFor(status: number): string {
  if (status === 403)
    return "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, the key's rights and this machine's clock";
  if (status === 404) return 'check the name of the bucket, and the endpoint';
  return 'check the endpoint and the region';
}

/** The error code of S3. Only the code is used: the remainder of such a body repeats the signed request and the access key. */
async function codeOf(response: Response): Promise<string> {
  const code = xmlValue(await readText(response), 'Code') ?? '';
  return /^\w{1,64}$/.test(code) ? ` ${code}` : '';
}

/** Why there was no response, in a few words. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Error & { code?: string } };
  return cause?.code ?? cause?.message ?? message;
}

/** A range in HTTP syntax (RFC 9110 section 14.1.1). */
const rangeOf = ({ offset, length }: ByteRange): string => `bytes=${offset}-${offset + length - 1}`;

/** Sends requests to one bucket: signed (AWS Signature Version 4), retried after transient failures, and limited in time. */
export function createS3Client(settings: S3Settings, timeouts: Timeouts) {
  const { endpoint, bucket, accessKeyId, secretAccessKey, region } = settings;

  async function signed({ method, key, query = {}, part, content }: Ask): Promise<[URL, RequestInit]> {
    const url = new URL(`${endpoint}/${bucket}${key && `/${key}`}`);
    url.search = new URLSearchParams(query).toString();
    const headers = {
      // The real hash, so that S3 refuses bytes that were changed in transit.
      'x-amz-content-sha256': content?.sha256 ?? EMPTY_SHA256,
      // The hash covers the uncompressed bytes, so no proxy may compress the response. For a range, fetch sets this header itself
      // (Fetch standard, "HTTP-network-or-cache fetch"), and a second one would break the signature.
      ...(part ? { range: rangeOf(part) } : { 'accept-encoding': 'identity' }),
      ...(content && {
        'content-length': String(content.size),
        'content-type': content.type ?? 'application/octet-stream',
        ...(content.cache !== undefined && { 'cache-control': content.cache }),
      }),
    };
    const { headers: signedHeaders } = await signerOf(url, { method, headers }).sign();
    const body = content && { body: content.open(), duplex: 'half' as const };
    // A redirect could send bytes and signature to another server.
    return [url, { method, headers: signedHeaders, redirect: 'manual', ...body }];
  }

  /** One attempt. Network failures are transient; a refusal of S3 is not. */
  async function attempt<T>(ask: Ask, read: ReadAnswer<T>, ms: number): Promise<T> {
    const controller = new AbortController();
    const giveUp = () => controller.abort(new Error(`no answer within ${ms} ms`));
    const timer = setTimeout(guarded(giveUp), ms);
    try {
      const [url, init] = await signed(ask);
      const response = await fetch(url, { ...init, signal: controller.signal });
      if (ask.accept.includes(response.status)) return await read(response, controller);
      const said = `${response.status}${await codeOf(response)}`;
      if (response.status >= 500 || response.status === 429) throw new TransientS3Error(said);
      throw new UnavailableError(`S3 answered ${said} to ${ask.method}: ${adviceFor(response.status)}.`);
    } catch (error) {
      if (error instanceof TransientS3Error || error instanceof UnavailableError) throw error;
      throw new TransientS3Error(reasonOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** The signer of requests to the bucket. */
  const signerOf = (url: URL, more: Partial<ConstructorParameters<typeof AwsV4Signer>[0]>) =>
    new AwsV4Signer({ url: url.href, accessKeyId, secretAccessKey, region, service: 's3', ...more });

  return {
    /**
     * Creates a presigned URL, with which any client can read a key for a limited time (AWS Signature Version 4, "Authenticating
     * Requests: Using Query Parameters"). Sends no request to S3.
     * @param answer the headers that S3 sends with the bytes (GetObject, `response-…`)
     */
    async addressOf(key: string, seconds: number, answer: Record<string, string>): Promise<string> {
      const url = new URL(`${endpoint}/${bucket}/${key}`);
      url.search = new URLSearchParams({ ...answer, 'X-Amz-Expires': String(seconds) }).toString();
      const { url: signedUrl } = await signerOf(url, { method: 'GET', signQuery: true }).sign();
      // A space is signed as %20. Some servers read the plus sign of form encoding as a plus.
      signedUrl.search = signedUrl.search.replaceAll('+', '%20');
      return signedUrl.href;
    },
    /**
     * Sends a request to S3.
     * @throws UnavailableError when S3 cannot be reached, or refuses
     */
    async send<T>(ask: Ask, read: ReadAnswer<T>): Promise<T> {
      const deadline = performance.now() + timeouts.deadlineMs;
      for (let attempts = 1; ; attempts += 1) {
        const remainingMs = deadline - performance.now();
        try {
          return await attempt(ask, read, Math.min(timeouts.answerMs, Math.ceil(remainingMs)));
        } catch (error) {
          if (!(error instanceof TransientS3Error)) throw error;
          const pause = timeouts.pauseMs * 4 ** (attempts - 1);
          if (attempts === MAX_ATTEMPTS || performance.now() + pause >= deadline) {
            const message = `S3 at ${endpoint} gave no good answer to ${ask.method} (${attempts} tries): ${error.message}`;
            throw new UnavailableError(message, { cause: error.cause });
          }
          await sleep(pause);
        }
      }
    },
  };
}

export type S3Client = ReturnType<typeof createS3Client>;
