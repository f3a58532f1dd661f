import { writeInterop } from '@svc/testkit';
import { vectorFiles } from './interop-vectors.ts';

// Run as a program: writes interop/bundle from interop-vectors.ts.
writeInterop('bundle', vectorFiles());
