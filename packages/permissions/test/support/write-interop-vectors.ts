import { writeInterop } from '@svc/testkit';
import { diffFiles } from './interop-vectors.ts';

// Run as a program: brings interop/permissions in line with the cases beside this file.
writeInterop('permissions', diffFiles());
