import type { Issue } from '@svc/contracts';
import { diffFootprints, footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { routeReview } from '../../src/publishing/route-review.ts';

const footprint = footprintOf(sampleManifest());
const same = diffFootprints({ version: '1.0.0', footprint }, footprint);
const wider = { ...same, widens: true };
const policy = { flaggedCodes: new Set(['bundle.obfuscated']) };
const warning = (code: string): Issue => ({ code, level: 'warning', path: '', message: '' });

describe('routeReview', () => {
  it.each([
    [[], same, [], true],
    [['first-version'], diffFootprints(null, footprint), [], true],
    [['permissions-widened'], wider, [], true],
    [['publisher-unverified'], same, [], false],
    [['flagged:bundle.obfuscated'], same, [warning('bundle.obfuscated'), warning('bundle.obfuscated')], true],
    [[], same, [warning('bundle.readme')], true],
    [
      ['permissions-widened', 'publisher-unverified', 'flagged:bundle.obfuscated'],
      wider,
      [warning('bundle.obfuscated')],
      false,
    ],
  ])('gives %j', (reasons, diff, issues, verified) => {
    expect(routeReview(diff, issues, { verified }, policy)).toEqual(reasons);
  });
});
