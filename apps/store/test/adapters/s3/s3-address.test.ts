import { describe, expect, it } from 'vitest';
import { readS3Address } from '../../../src/adapters/s3/s3-address.ts';

describe('the address of a bucket', () => {
  it.each([
    [
      's3://apps',
      { endpoint: 'https://s3.us-east-1.amazonaws.com', region: 'us-east-1', bucket: 'apps', prefix: '' },
    ],
    [
      's3://apps/?region=eu-central-1',
      {
        endpoint: 'https://s3.eu-central-1.amazonaws.com',
        region: 'eu-central-1',
        bucket: 'apps',
        prefix: '',
      },
    ],
    [
      's3://my.apps-1/store/live/?endpoint=http://minio:9000/',
      { endpoint: 'http://minio:9000', region: 'us-east-1', bucket: 'my.apps-1', prefix: 'store/live/' },
    ],
  ])('is parsed: %s', (text, address) => {
    expect(readS3Address(text)).toEqual(address);
  });

  it.each([
    ['/var/blobs', /s3:\/\/bucket/],
    ['https://apps.example', /s3:\/\/bucket/],
    ['s3://', /bucket/],
    ['s3://a', /must name a bucket/],
    ['s3://Apps', /must name a bucket/],
    ['s3://apps:9000', /must name a bucket/],
    ['s3://-apps', /must name a bucket/],
    ['s3://AKIDEXAMPLE:s3cr3t@apps', /must not hold keys/],
    ['s3://apps?secret=s3cr3t', /nothing else/],
    ['s3://apps/a//b', /prefix/],
    ['s3://apps/a%2F..%2Fb', /prefix/],
    ['s3://apps/a b', /prefix/],
    ['s3://apps/.../b', /prefix/],
    ['s3://apps?region=eu central', /region/],
    ['s3://apps?region=x.evil.example/', /region/],
    ['s3://apps?endpoint=ftp://minio', /endpoint/],
    ['s3://apps?endpoint=minio', /endpoint/],
    ['s3://apps?endpoint=http://minio/path', /endpoint/],
    ['s3://apps?endpoint=http://minio?x', /endpoint/],
    ['s3://apps?endpoint=http://AKIDEXAMPLE:s3cr3t@minio', /endpoint/],
  ])('is rejected, without its keys in the error: %s', (text, fault) => {
    const read = readS3Address(text);
    expect(read).toEqual({ fault: expect.stringMatching(fault) });
    expect(JSON.stringify(read)).not.toMatch(/s3cr3t|AKIDEXAMPLE/);
  });

  it('resolves .. inside the prefix', () => {
    expect(readS3Address('s3://apps/a/../../b')).toMatchObject({ prefix: 'b/' });
  });
});
