import { fixesFor, hasErrors, validateManifest } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import fc from 'fast-check';
import { hostileJson, nearManifest, withHostilePart } from '../../packages/validator/test/arbitrary.ts';
import { type Part, promiseSoundIssues } from './promise.ts';

/** JSON values as manifests, in both modes. */
export const manifests: Part<unknown> = {
  name: 'manifest',
  inputs: fc.oneof(
    { weight: 3, arbitrary: nearManifest },
    { weight: 3, arbitrary: withHostilePart },
    { weight: 1, arbitrary: hostileJson },
  ),
  check: (value) => {
    for (const mode of ['store', 'dev'] as const) {
      const issues = validateManifest(value, { mode });
      promiseSoundIssues(issues);
      fixesFor(value, { mode });
      // The store parses published manifests with the contract, which must accept everything that passes the checks.
      if (mode === 'store' && !hasErrors(issues)) asManifest(value);
    }
  },
  toFile: (value) => new TextEncoder().encode(JSON.stringify(value)),
};
