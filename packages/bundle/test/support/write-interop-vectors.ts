import { writeInterop } from '@svc/testkit';
import { vectorFiles } from './interop-vectors.ts';

// Run as a program: brings interop/bundle in line with interop-vectors.ts.
writeInterop('bundle', vectorFiles());
