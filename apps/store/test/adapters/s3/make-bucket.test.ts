import { expect, it } from 'vitest';
import { makeBucket } from '../../../src/adapters/s3/make-bucket.ts';
import { type Answer, fakeS3, fault, hangUp, IMPATIENT } from '../../support/fake-s3.ts';

const yes: Answer = (_asked, response) => response.end();
const none = fault(404, 'NoSuchBucket');

it('creates no bucket that exists', async () => {
  const { settings, asked } = await fakeS3(yes);
  expect(await makeBucket(settings, IMPATIENT)).toBe(false);
  expect(asked.map(({ method, url }) => [method, url])).toEqual([['HEAD', '/apps']]);
});

it.each([
  ['us-east-1', ''],
  ['eu-central-1', '<LocationConstraint>eu-central-1</LocationConstraint>'],
])('creates a missing bucket in %s', async (region, place) => {
  const { settings, asked } = await fakeS3(none, yes);
  expect(await makeBucket({ ...settings, region }, IMPATIENT)).toBe(true);
  expect(asked[1]).toMatchObject({ method: 'PUT', url: '/apps' });
  const body = asked[1]?.body.toString() as string;
  expect(place === '' ? body : body.slice(body.indexOf(place), body.indexOf(place) + place.length)).toBe(
    place,
  );
});

it('accepts that another process has created the bucket at the same time', async () => {
  const { settings } = await fakeS3(none, fault(409, 'BucketAlreadyOwnedByYou'));
  expect(await makeBucket(settings, IMPATIENT)).toBe(false);
});

it.each([
  ['forbids access', [fault(403, 'AccessDenied')]],
  ['forbids its creation', [none, fault(403, 'AccessDenied')]],
  ['is unavailable', [hangUp]],
])('throws an error of S3 when it %s', async (_name, answers) => {
  const { settings } = await fakeS3(...answers);
  await expect(makeBucket(settings, IMPATIENT)).rejects.toThrow(/^S3 /);
});
