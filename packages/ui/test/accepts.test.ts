import { describe, expect, it } from 'vitest';
import { accepts } from '../src/accepts.ts';

const BUNDLES = '.svc-app,.zip';
const PICTURES = 'image/png, image/*';

describe('accepts', () => {
  it.each([
    ['notes.svc-app', '', BUNDLES, true],
    ['NOTES.SVC-APP', '', BUNDLES, true],
    ['notes.zip', 'application/zip', BUNDLES, true],
    ['notes.zip.exe', '', BUNDLES, false],
    ['svc-app', '', BUNDLES, false],
    ['lake.png', 'image/png', BUNDLES, false],
    ['lake.png', 'image/png', PICTURES, true],
    ['lake.webp', 'IMAGE/WEBP', PICTURES, true],
    ['notes.txt', 'text/plain', PICTURES, false],
    ['image.txt', 'imagery/png', PICTURES, false],
    ['anything', '', '', true],
    ['anything', 'text/plain', ' , ', true],
  ])('%s of type "%s" for "%s": %s', (name, type, accept, fits) => {
    expect(accepts({ name, type }, accept)).toBe(fits);
  });

  it('accepts a file of unknown type if types are listed', () => {
    expect(accepts({ name: 'lake', type: '' }, PICTURES)).toBe(true);
  });
});
