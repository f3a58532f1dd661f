import { writeInterop } from '@svc/testkit';
import { textFiles } from './interop-vectors.ts';

// Run as a program: writes interop/text from the cases beside this file.
writeInterop('text', textFiles());
