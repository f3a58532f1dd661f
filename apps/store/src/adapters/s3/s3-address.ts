/** The location of blobs in S3. */
export type S3Address = {
  /** Origin of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** The prefix of keys: empty, or ending in a slash. */
  prefix: string;
};

const DEFAULT_REGION = 'us-east-1';

/** The rules for bucket names: 3 to 63 of these characters, the first and the last a letter or digit. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters that S3 calls safe in keys. A URL parser would remove a segment of only dots, which changes the key. */
const PREFIX = /^(?!\.+(\/|$))[\w.-]+(\/(?!\.+(\/|$))[\w.-]+)*$/;
const REGION = /^[a-z0-9-]{1,32}$/;

function endpointOf(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.href === `${url.origin}/` ? url.origin : null;
}

/**
 * Reads `s3://bucket[/prefix]?endpoint=…&region=…`. Without an endpoint, it is Amazon's for the region.
 * @returns the address, or what is wrong with it; never repeats the text, which may contain a secret key
 */
export function readS3Address(text: string): S3Address | { fault: string } {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') return { fault: 'must be s3://bucket[/prefix]?endpoint=…&region=…' };
  if (url.username || url.password) {
    return { fault: 'must not hold keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' };
  }
  const { endpoint, region = DEFAULT_REGION, ...other } = Object.fromEntries(url.searchParams);
  if (Object.keys(other).length > 0) return { fault: 'takes endpoint and region after the ?, nothing else' };
  if (!BUCKET.test(url.host)) return { fault: 'must name a bucket: 3 to 63 of a-z, 0-9, "." and "-"' };
  const prefix = url.pathname.replace(/^\/|\/$/g, '');
  if (prefix !== '' && !PREFIX.test(prefix))
    return { fault: 'may have a prefix of letters, digits, ".", "_", "-" and "/"' };
  if (!REGION.test(region)) return { fault: 'must name a region such as eu-central-1' };
  const origin = endpointOf(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (origin === null)
    return { fault: 'must have an endpoint that is an http or https address without a path' };
  return { endpoint: origin, region, bucket: url.host, prefix: prefix && `${prefix}/` };
}
