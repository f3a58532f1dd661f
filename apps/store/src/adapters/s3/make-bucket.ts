import { createHash } from 'node:crypto';
import { createS3Client, readText, type S3Settings, TIMEOUTS, type Timeouts } from './s3-client.ts';

/** The default region of S3, which must be omitted when a bucket is created. */
const UNSPOKEN_REGION = 'us-east-1';

function locationOf(region: string) {
  if (region === UNSPOKEN_REGION) return {};
  const xml = `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;
  const bytes = Buffer.from(xml);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { content: { sha256, size: bytes.byteLength, open: () => bytes } };
}

/**
 * Creates the bucket of the settings, unless it exists.
 * @returns whether it was created
 * @throws UnavailableError when S3 cannot be reached, or refuses
 */
export async function makeBucket(settings: S3Settings, timeouts: Timeouts = TIMEOUTS): Promise<boolean> {
  const client = createS3Client(settings, timeouts);
  const isThere = await client.send(
    { method: 'HEAD', key: '', accept: [200, 404] },
    ({ status }) => status === 200,
  );
  if (isThere) return false;
  // 409: another process has just created it. Whether this store may use it is checked when the bucket is opened.
  const request = { method: 'PUT', key: '', accept: [200, 409], ...locationOf(settings.region) } as const;
  return client.send(request, async (response) => {
    await readText(response);
    return response.status === 200;
  });
}
