import { writeInterop } from '@svc/testkit';
import { textFiles } from './interop-vectors.ts';

// Run as a program: brings interop/text in line with the cases beside this file.
writeInterop('text', textFiles());
