import assert from 'node:assert/strict';
import { RULES, validateManifest } from '@svc/validator';

const issues = validateManifest({}, { mode: 'store' });
assert.ok(
  issues.some(({ code }) => code === 'id.missing'),
  JSON.stringify(issues),
);
assert.ok(RULES.length > 50);
